"""A follow-up made standalone by a model: one short request; the rule answers for it when the reply is no question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragcli.answer.extract.followup import standalone
from ragcli.answer.model.message import ModelClient
from ragcli.answer.model.prompt import cached, text_block, visible
from ragcli.records import Usage

_TURNS = 6
_LONGEST = 500
_SYSTEM = """\
You are given the questions of a conversation about a collection of documents. Rewrite the last one so that it can be \
understood without the others: put in what it leaves out or points to. Change nothing else, keep its language, do not \
answer it. If it can be understood as it is, repeat it. Reply with the question alone, on one line.
"""


def rewrite(question: str, earlier: Sequence[str], *, client: ModelClient, model: str) -> tuple[str, Usage]:
    """``question`` so that it stands alone after the ``earlier`` ones (oldest first), and what that cost.

    Raises ModelError when the model cannot be reached.
    """
    if not earlier:
        return question, Usage()
    reply = client.send(_request(question, earlier, model))
    text = reply.text.strip().strip("\"'“”")
    if not text or "\n" in text or len(text) > _LONGEST:
        text = standalone(question, earlier)
    return text, reply.usage


def _request(question: str, earlier: Sequence[str], model: str) -> dict[str, Any]:
    before = "\n".join(f"- {visible(' '.join(one.split()))}" for one in earlier[-_TURNS:])
    shown = f"Questions so far:\n{before}\n\nLast question:\n{visible(' '.join(question.split()))}"
    content = [text_block(shown)]
    return {
        "model": model,
        "max_tokens": 200,
        "system": [cached(_SYSTEM)],
        "messages": [{"role": "user", "content": content}],
    }
