"""The written answer against a local server that speaks the real wire format."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import time
from pathlib import Path
from typing import Any

import pytest

from ragcli.answer.check.verify import verify
from ragcli.answer.loading import first_request, load_generator
from ragcli.answer.model.anthropic import MessagesClient
from ragcli.answer.model.connection import Connection
from ragcli.answer.model.endpoint import find_endpoint
from ragcli.answer.model.prompt import SCHEMA
from ragcli.answer.model.text_model import WrittenTextModel
from ragcli.answer.model.written import WrittenAnswerer
from ragcli.config import AnswerConfig
from ragcli.config.loading import load
from ragcli.errors import ExitCode, ModelError
from ragcli.records import Claim, Completion, ModelRequest, Usage
from tests.answer.messages_server import (
    Act,
    MessagesServer,
    answers,
    fails,
    message,
    says,
    sends,
    serving,
    sleeps,
    streams,
)
from tests.answer.passages import passage

PASSAGES = (
    passage(1, "Refunds are returned within 5 working days.", "refunds.md", date="2026-01-01"),
    passage(2, "Remote work is limited to two days per week.", "hr/remote.md"),
)
GOOD = json.dumps(
    {
        "found": True,
        "sentences": [
            {"text": "Refunds take 5 working days.", "citations": [{"passage": 1, "quote": "within 5 working days"}]},
            {"text": "Two remote days a week.", "citations": [{"passage": 2, "quote": "two days per week"}]},
        ],
    }
)
TAGGED = (
    '<answer found="true">\n<sentence>Refunds take 5 working days.<cite passage="1">within 5 working days</cite>'
    "</sentence>\n</answer>"
)


def _answerer(server: MessagesServer, *, own: bool = True, **settings: Any) -> WrittenAnswerer:
    """An answerer for a server on this machine that passes for Anthropic's own, or for another's."""
    config = AnswerConfig(provider="anthropic", **{"retries": 0, "timeout_seconds": 5.0, **settings})
    endpoint = find_endpoint(server.url, "command line", {"RAG_ANSWER_KEY": "sk-test"}, offline=False)
    endpoint = dataclasses.replace(endpoint, is_own=own)
    connection = Connection(endpoint, config.timeout_seconds, config.retries, config.deadline_seconds)
    return WrittenAnswerer(config, MessagesClient(connection))


def _generate(*script: Act, **settings: Any) -> tuple[Completion, MessagesServer]:
    with serving(*script) as server:
        return _answerer(server, **settings).generate("How long?", PASSAGES), server


def _error(*script: Act, **settings: Any) -> tuple[ModelError, MessagesServer]:
    with serving(*script) as server, pytest.raises(ModelError) as caught:
        _answerer(server, **settings).generate("How long?", PASSAGES)
    assert caught.value.exit_code == ExitCode.MODEL
    assert caught.value.hint
    assert "sk-test" not in caught.value.message
    return caught.value, server


def test_a_structured_answer_is_read_and_verified() -> None:
    made, server = _generate(says(GOOD, cache_read_input_tokens=70, cache_creation_input_tokens=30))
    assert [claim.cited for claim in made.claims] == [("1",), ("2",)]
    assert made.usage == Usage(100, 20, cache_read_tokens=70, cache_write_tokens=30)
    assert made.model == "claude-test-1"
    answer = verify(made, PASSAGES, question="How long?")
    assert [sentence.status for sentence in answer.sentences] == ["paraphrase", "paraphrase"]
    (request,) = server.requests
    assert request["path"] == "/v1/messages"
    headers = {name.lower(): value for name, value in request["headers"].items()}
    assert "sk-test" in (headers.get("x-api-key"), headers.get("authorization", "").removeprefix("Bearer "))


def test_the_request_holds_what_it_should_and_no_more() -> None:
    _, server = _generate(says(GOOD), model="m-1", max_tokens=77)
    (body,) = server.bodies
    assert (body["model"], body["max_tokens"]) == ("m-1", 77)
    assert body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    shown, asked = body["messages"][0]["content"]
    assert shown["cache_control"] == {"type": "ephemeral"}
    assert '<passage id="1" source="refunds.md" title="Policy" date="2026-01-01">' in shown["text"]
    assert asked == {"type": "text", "text": "<question>\nHow long?\n</question>"}
    assert set(body) == {"model", "max_tokens", "system", "messages", "output_config"}


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_what_is_shown_before_is_what_is_sent(provider: str, tmp_path: Path) -> None:
    with serving(says(GOOD)) as server:
        settings = {"answer.provider": provider, "answer.base_url": server.url, "answer.model": "m-1"}
        config = load(overrides=settings, environ={}, cwd=tmp_path)
        shown = first_request(config, {}, "How long?", PASSAGES)
        generator = load_generator(config, embedder=None, environ={})
        with contextlib.suppress(ModelError):  # the reply is one of the other form
            generator.generate("How long?", PASSAGES)
    assert server.bodies[0] == shown
    assert server.requests[0]["path"] == {"anthropic": "/v1/messages", "openai": "/v1/chat/completions"}[provider]


def test_a_server_in_anthropics_place_is_asked_in_tags_at_once() -> None:
    made, server = _generate(says(TAGGED), own=False)
    assert made.claims == (Claim("Refunds take 5 working days.", ("1",), ("within 5 working days",)),)
    (body,) = server.bodies
    assert "output_config" not in body
    assert '<answer found="true">' in body["system"][0]["text"]


def test_declining() -> None:
    made, _ = _generate(says('{"found": false, "sentences": []}'))
    assert (made.found, made.not_found_reason, made.claims) == (False, "model_declined", ())


def test_a_server_without_schemas_is_asked_again_in_tags() -> None:
    refusal = fails(400, "invalid_request_error", "output_config: Extra inputs are not permitted")
    with serving(refusal, says(TAGGED), says(TAGGED)) as server:
        answerer = _answerer(server)
        first = answerer.generate("How long?", PASSAGES)
        answerer.generate("Again?", PASSAGES)
    assert first.claims == (Claim("Refunds take 5 working days.", ("1",), ("within 5 working days",)),)
    assert ["output_config" in body for body in server.bodies] == [True, False, False]
    assert "<answer found=" in server.bodies[1]["system"][0]["text"]


@pytest.mark.parametrize("reply", [TAGGED, f"```json\n{GOOD}\n```", f"Here it is:\n{GOOD}", f"Sure!\n{TAGGED}"])
def test_replies_that_can_be_read_without_repair(reply: str) -> None:
    made, server = _generate(says(reply))
    assert made.claims[0].quotes == ("within 5 working days",)
    assert len(server.requests) == 1


def test_one_repair_and_usage_of_both() -> None:
    made, server = _generate(says("{found: yes"), says(TAGGED))
    assert made.claims[0].cited == ("1",)
    assert made.usage == Usage(200, 40)
    repair = server.bodies[1]
    assert "output_config" not in repair
    assert [turn["role"] for turn in repair["messages"]] == ["user", "assistant", "user"]
    assert repair["messages"][1]["content"] == "{found: yes"


def test_after_a_failed_repair_prose_is_checked_as_prose() -> None:
    made, server = _generate(says("hm"), says("Refunds take 5 working days [1]. Moon is cheese. [9]"))
    assert len(server.requests) == 2
    assert made.claims == (Claim("Refunds take 5 working days.", ("1",)), Claim("Moon is cheese.", ("9",)))
    answer = verify(made, PASSAGES, question="?")
    assert [sentence.status for sentence in answer.sentences] == ["paraphrase", "unsupported"]
    assert answer.invalid_citations == ("9",)


@pytest.mark.parametrize(
    ("status", "kind", "category"),
    [
        (400, "invalid_request_error", "bad_request"),
        (401, "authentication_error", "bad_key"),
        (403, "permission_error", "bad_key"),
        (404, "not_found_error", "unknown_model"),
        (413, "request_too_large", "too_large"),
        (429, "rate_limit_error", "rate_limited"),
        (500, "api_error", "server_error"),
        (529, "overloaded_error", "overloaded"),
    ],
)
def test_errors_of_the_server(status: int, kind: str, category: str) -> None:
    error, server = _error(fails(status, kind))
    assert error.category == category
    assert "a message from the server" in error.message
    assert str(status) in error.message
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [429, 500, 529])
def test_passing_trouble_is_tried_again(status: int) -> None:
    made, server = _generate(fails(status, "x", retry_after="0.05"), says(GOOD), retries=1)
    assert made.found
    assert len(server.requests) == 2


def test_retry_after_is_honoured() -> None:
    started = time.monotonic()
    _generate(fails(429, "rate_limit_error", retry_after="1.2"), says(GOOD), retries=1)
    assert time.monotonic() - started >= 1.2


def test_a_time_out() -> None:
    error, _ = _error(sleeps(1.0), timeout_seconds=1.0 / 5)
    assert error.category == "timeout"


def test_nobody_there() -> None:
    with serving(says(GOOD)) as server:
        answerer = _answerer(server)
    with pytest.raises(ModelError) as caught:
        answerer.generate("How long?", PASSAGES)
    assert caught.value.category == "unreachable"


@pytest.mark.parametrize("raw", [b"{not json", b"[]", b'{"hello": 1}', b"<html></html>", b""])
def test_something_else_than_a_message(raw: bytes) -> None:
    error, _ = _error(sends(raw))
    assert error.category == "malformed"


def test_a_page_of_another_kind() -> None:
    error, _ = _error(sends(b"<html>login</html>", "text/html"))
    assert error.category == "malformed"


def test_a_refusal() -> None:
    error, _ = _error(answers(message("", stop="refusal", content=[])))
    assert error.category == "refused"


def test_a_cut_off_answer() -> None:
    error, _ = _error(says('{"found": true, "sent', stop="max_tokens"), max_tokens=20)
    assert error.category == "cut_off"
    assert "20" in error.message


def _stream(*script: Act) -> tuple[list[Claim], Completion]:
    seen: list[Claim] = []
    with serving(*script) as server:
        made = _answerer(server).generate_streaming("How long?", PASSAGES, seen.append)
    return seen, made


def test_streamed_claims_arrive_one_by_one_and_equal_the_whole() -> None:
    seen, made = _stream(streams(GOOD))
    assert tuple(seen) == made.claims
    assert len(seen) == 2
    assert made.usage.output_tokens == 20


def _cited(kind: str, index: int, text: str, **place: int) -> dict[str, Any]:
    return {"type": kind, "document_index": index, "document_title": None, "cited_text": text, **place}


_CITATIONS = [
    _cited("char_location", 0, "within 5 working days", start_char_index=0, end_char_index=21),
    _cited("page_location", 1, "two days per week", start_page_number=1, end_page_number=2),
    _cited("content_block_location", 7, "anything", start_block_index=0, end_block_index=1),
]


def test_citations_of_the_messages_api_are_read() -> None:
    blocks = [
        {"type": "text", "text": "Put shortly, "},
        {"type": "text", "text": "refunds take 5 working days", "citations": _CITATIONS[:1]},
        {"type": "text", "text": ". You may work remotely two days per week.", "citations": _CITATIONS[1:]},
    ]
    made, server = _generate(answers(message(content=blocks)))
    assert len(server.requests) == 1
    assert [(claim.text, claim.cited, claim.quotes) for claim in made.claims] == [
        ("Put shortly, refunds take 5 working days.", ("1", "2", "8"), tuple(one["cited_text"] for one in _CITATIONS)),
        ("You may work remotely two days per week.", ("2", "8"), ("two days per week", "anything")),
    ]
    answer = verify(made, PASSAGES, question="How long?")
    assert answer.invalid_citations == ("8",)
    assert {citation.quote for citation in answer.citations} == {"within 5 working days", "two days per week"}


def test_citations_that_are_streamed_are_read() -> None:
    seen, made = _stream(streams("Refunds take 5 working days.", citations=_CITATIONS[:1]))
    assert tuple(seen) == made.claims == (
        Claim("Refunds take 5 working days.", ("1",), ("within 5 working days",)),
    )  # fmt: skip


@pytest.mark.parametrize("act", [streams(GOOD, cut_after=25), streams(GOOD, error_after=25)])
def test_a_stream_that_breaks_off_is_an_error(act: Act) -> None:
    seen: list[Claim] = []
    with serving(act) as server, pytest.raises(ModelError) as caught:
        _answerer(server).generate_streaming("How long?", PASSAGES, seen.append)
    assert caught.value.category in ("unreachable", "overloaded")
    assert len(seen) == 1


def test_a_text_model_caches_what_requests_share() -> None:
    requests = [ModelRequest("LONG", f"about {n}") for n in range(5)]
    with serving(lambda handler: says("ok")(handler)) as server:
        model = WrittenTextModel(_answerer(server).client, "m-1")
        done = {index: text for index, text, _ in model.complete_many(requests, max_tokens=50)}
        assert model.complete("be brief", "hello") == ("ok", Usage(100, 20))
    assert done == dict.fromkeys(range(5), "ok")
    first = server.bodies[0]["messages"][0]["content"]
    assert first[0] == {"type": "text", "text": "LONG", "cache_control": {"type": "ephemeral"}}
    assert first[1]["text"] == "about 0"
    assert server.bodies[-1]["system"][0]["text"] == "be brief"


def test_a_text_model_that_fails_says_so_and_keeps_what_came_before() -> None:
    done: list[int] = []
    with serving(says("ok"), fails(401, "authentication_error")) as server:
        model = WrittenTextModel(_answerer(server).client, "m-1")
        with pytest.raises(ModelError):
            for index, _, _ in model.complete_many([ModelRequest("L", str(n)) for n in range(4)], max_tokens=5):
                done.append(index)
    assert done == [0]


def test_a_batch() -> None:
    batch = {
        "id": "b1", "type": "message_batch", "processing_status": "in_progress", "created_at": "2026-01-01T00:00:00Z",
        "expires_at": "2026-01-02T00:00:00Z", "ended_at": None, "archived_at": None, "cancel_initiated_at": None,
        "request_counts": {"processing": 2, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0},
        "results_url": None,
    }  # fmt: skip
    with serving(lambda handler: None) as server:
        ended = {**batch, "processing_status": "ended", "results_url": f"{server.url}/v1/messages/batches/b1/results"}
        lines = "".join(
            json.dumps({"custom_id": f"r{n}", "result": {"type": "succeeded", "message": message(f"text {n}")}}) + "\n"
            for n in (1, 0)
        )
        server.script[:] = [
            answers(batch), answers(ended), answers(ended), sends(lines.encode(), "application/x-jsonl"),
        ]  # fmt: skip
        client = _answerer(server).client
        bodies = [{"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": str(n)}]} for n in (0, 1)]
        results = {index: reply.text for index, reply in client.batch(bodies, poll_seconds=0.01)}
    assert results == {0: "text 0", 1: "text 1"}
