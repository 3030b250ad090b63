"""Follow-ups rewritten by a model, over the wire; the rule stands in for a reply that is no question."""

from __future__ import annotations

import pytest

from ragcli.answer.model.anthropic import MessagesClient
from ragcli.answer.model.connection import Connection
from ragcli.answer.model.endpoint import find_endpoint
from ragcli.answer.model.rewriting import rewrite
from ragcli.records import Usage
from tests.answer.messages_server import says, serving

EARLIER = ["What is the probation period?", "How many remote days can employees take?"]


def _rewrite(reply: str, question: str = "and for interns?") -> tuple[str, Usage, list[dict[str, object]]]:
    with serving(says(reply)) as server:
        endpoint = find_endpoint(server.url, "command line", {}, offline=False)
        client = MessagesClient(Connection(endpoint, timeout_seconds=5, retries=0))
        text, usage = rewrite(question, EARLIER, client=client, model="m-1")
    return text, usage, server.bodies


def test_the_model_rewrites() -> None:
    text, usage, bodies = _rewrite('"How many remote days can interns take?"\n')
    assert text == "How many remote days can interns take?"
    assert usage == Usage(100, 20)
    shown = str(bodies[0]["messages"])
    assert "What is the probation period?" in shown
    assert "and for interns?" in shown


@pytest.mark.parametrize("reply", ["", "Sure!\nHere it is: …", "x" * 501])
def test_what_is_no_question_is_not_used(reply: str) -> None:
    assert _rewrite(reply)[0] == "How many remote days can employees take for interns?"


def test_nothing_before_nothing_sent() -> None:
    assert rewrite("How?", [], client=None, model="m") == ("How?", Usage())  # type: ignore[arg-type]
