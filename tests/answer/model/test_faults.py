"""Whatever a server does: one clear sentence, the right category, exit code 5, nothing lost that was complete."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragcli.answer.check.verify import verify
from ragcli.answer.model.anthropic import MessagesClient
from ragcli.answer.model.connection import Connection
from ragcli.answer.model.endpoint import CHAT, MESSAGES, Service, find_endpoint
from ragcli.answer.model.message import ModelClient
from ragcli.answer.model.openai import ChatClient
from ragcli.answer.model.written import WrittenAnswerer
from ragcli.config import AnswerConfig
from ragcli.errors import ExitCode, ModelError
from ragcli.records import Claim, Completion, Usage
from tests.answer.chat_server import chat_fails, chat_message, chat_says, chat_streams
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
    trickles,
)
from tests.answer.passages import passage

PASSAGES = (passage(1, "Refunds are returned within 5 working days."), passage(2, "Two days per week are remote."))
FIRST = Claim("Refunds take 5 working days.", ("1",), ("within 5 working days",))
SECOND = Claim("Two remote days a week.", ("2",), ("Two days per week",))
GOOD = json.dumps(
    {
        "found": True,
        "sentences": [
            {"text": claim.text, "citations": [{"passage": int(claim.cited[0]), "quote": claim.quotes[0]}]}
            for claim in (FIRST, SECOND)
        ],
    }
)
IN_SECOND = GOOD.index(SECOND.text) + 5


@dataclasses.dataclass(frozen=True)
class Wire:
    """One of the two forms: the client that speaks it and a server's acts in it."""

    service: Service
    client: Callable[[Connection], ModelClient]
    says: Callable[..., Act]
    fails: Callable[..., Act]
    streams: Callable[..., Act]
    cut: str

    def answerer(self, url: str, **settings: Any) -> WrittenAnswerer:
        """An answerer that asks for a schema first."""
        config = AnswerConfig(**{"retries": 0, "timeout_seconds": 5.0, "model": "m-1", **settings})
        endpoint = find_endpoint(
            url, "command line", {"RAG_ANSWER_KEY": "sk-test"}, offline=False, service=self.service
        )
        endpoint = dataclasses.replace(endpoint, is_own=self.service is MESSAGES)
        return WrittenAnswerer(
            config, self.client(Connection(endpoint, config.timeout_seconds, config.retries, config.deadline_seconds))
        )


WIRES = {
    "messages": Wire(MESSAGES, MessagesClient, says, fails, streams, "max_tokens"),
    "chat": Wire(CHAT, ChatClient, chat_says, chat_fails, chat_streams, "length"),
}


@pytest.fixture(params=sorted(WIRES))
def wire(request: pytest.FixtureRequest) -> Wire:
    return WIRES[request.param]


def ask(wire: Wire, act: Act, *, stream: bool, **settings: Any) -> tuple[list[Claim], Completion]:
    seen: list[Claim] = []
    with serving(act) as server:
        made = wire.answerer(server.url, **settings).generate_streaming(
            "How long?", PASSAGES, seen.append if stream else None
        )
    return seen, made


def fault(wire: Wire, act: Act, *, stream: bool = False, **settings: Any) -> tuple[ModelError, list[Claim]]:
    seen: list[Claim] = []
    with serving(act) as server, pytest.raises(ModelError) as caught:
        answerer = wire.answerer(server.url, **settings)
        answerer.generate_streaming("How long?", PASSAGES, seen.append if stream else None)
    error = caught.value
    assert error.exit_code == ExitCode.MODEL
    assert error.hint and "\n" not in error.message
    assert "sk-test" not in error.message + error.hint
    return error, seen


@pytest.mark.parametrize(
    ("status", "kind", "said", "category", "hint"),
    [
        (400, "invalid_request_error", "no such field", "bad_request", "--dry-run shows what is sent"),
        (400, "invalid_request_error", "Your credit balance is too low", "no_credit", "add credit to the account"),
        (429, "insufficient_quota", "You exceeded your current quota", "no_credit", "RAG_ANSWER_KEY"),
        (402, "payment_required", "Insufficient credits", "no_credit", "add credit"),
        (400, "exceed_context_size_error", "exceeds the available context size", "too_large", "a longer context"),
        (
            400,
            "BadRequestError",
            '"auto" tool choice requires --enable-auto-tool-choice',
            "no_tools",
            "leave --agentic",
        ),
        (400, "invalid_request_error", "registry/m-1 does not support tools", "no_tools", "leave --agentic out"),
        (401, "authentication_error", "invalid key", "bad_key", "the key in RAG_ANSWER_KEY was not accepted"),
        (403, "permission_error", "not yours", "bad_key", "may not use this model"),
        (404, "not_found_error", "model: m-1", "unknown_model", "answer.model is 'm-1'"),
        (413, "request_too_large", "too much", "too_large", "lower answer.passages"),
        (429, "rate_limit_error", "slow down", "rate_limited", "raise answer.retries"),
        (500, "api_error", "oh", "server_error", "try again later"),
        (503, "unavailable", "loading model", "server_error", "try again later"),
        (529, "overloaded_error", "Overloaded", "overloaded", "try again later"),
    ],
)
def test_what_a_server_refuses(wire: Wire, status: int, kind: str, said: str, category: str, hint: str) -> None:
    if category == "too_large" and wire is WIRES["messages"]:
        hint = "lower answer.passages"  # its server passes for Anthropic's, which nobody starts
    for stream in (False, True):
        error, _ = fault(wire, wire.fails(status, kind, said), stream=stream)
        assert (error.category, f"answered {status}: {said}" in error.message) == (category, True), error.message
        assert hint in error.hint


def test_an_error_that_is_a_page(wire: Wire) -> None:
    def act(handler: Any) -> None:
        handler.reply(502, b"<html><h1>Bad Gateway</h1></html>", "text/html")

    error, _ = fault(wire, act)
    assert error.category == "server_error"
    assert "answered 502" in error.message


@pytest.mark.parametrize("stream", [False, True])
def test_a_page_instead_of_an_answer(wire: Wire, stream: bool) -> None:
    error, _ = fault(wire, sends(b"<html>Please log in</html>", "text/html"), stream=stream)
    assert error.category == "malformed"
    assert error.message.endswith(f"not in the form of {wire.service.form}: it sent text/html")
    assert "check answer.base_url (http://127.0.0.1:" in error.hint


@pytest.mark.parametrize("raw", [b"{not json", b"[]", b'{"hello": 1}', b"", b"null", b'{"choices": []}'])
def test_json_that_is_no_answer(wire: Wire, raw: bytes) -> None:
    assert fault(wire, sends(raw))[0].category == "malformed"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"data: {not json\n\n",
        b"data: [1, 2]\n\n",
        b"data: null\n\n",
        b"event: content_block_delta\ndata: "
        b'{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}}\n\n',
        b'event: message_start\ndata: {"type": "message_start"}\n\n',
        b'event: message_stop\ndata: {"type": "message_stop"}\n\n',
        b'data: {"choices": [{"delta": null}]}\n\n',
        b'data: {"choices": 7}\n\n',
    ],
)
def test_a_stream_that_is_none_of_the_form(wire: Wire, raw: bytes) -> None:
    """The SDKs meet these with assertions and errors of every kind."""
    assert fault(wire, sends(raw, "text/event-stream"), stream=True)[0].category == "malformed"


@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_that_cannot_be_unpacked(wire: Wire, stream: bool) -> None:
    def act(handler: Any) -> None:
        kind = "text/event-stream" if stream else "application/json"
        handler.reply(200, b"no archive", kind, content_encoding="gzip")

    error, _ = fault(wire, act, stream=stream)
    assert error.category in ("malformed", "unreachable")
    assert "decompress" in error.message


VALUES = (None, 7, "x", [1], {"a": 1})


def _changed(value: Any, path: tuple[Any, ...], into: Any) -> Any:
    if not path:
        return into
    held = dict(value) if isinstance(value, dict) else list(value)
    held[path[0]] = _changed(value[path[0]], path[1:], into)
    return held


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, held in items:
        yield from _paths(held, (*path, name))


@pytest.mark.parametrize("name", sorted(WIRES))
def test_a_value_of_another_type_is_a_fault_of_the_server_wherever_it_is(name: str) -> None:
    reply = message(GOOD) if name == "messages" else chat_message(GOOD, calls=[("search", {"query": "x"})])
    with serving() as server:
        answerer = WIRES[name].answerer(server.url)
        for path in _paths(reply):
            for into in VALUES:
                server.script[:] = [answers(_changed(reply, path, into))]
                with contextlib.suppress(ModelError):  # nothing else may be raised; some changes do no harm
                    answerer.generate("How long?", PASSAGES)


def test_a_reply_cut_off_at_its_limit_keeps_what_was_complete(wire: Wire) -> None:
    begun = GOOD[:IN_SECOND]
    _, made = ask(wire, wire.says(begun, stop=wire.cut), stream=False, max_tokens=20)
    seen, streamed = ask(wire, wire.streams(begun, stop=wire.cut), stream=True, max_tokens=20)
    said = "the answer was cut off after 20 tokens (answer.max_tokens is 20): what was complete is shown"
    for one in (made, streamed):
        assert (one.found, one.claims, one.notices) == (True, (FIRST,), (said,))
        assert one.usage == Usage(100, 20)
    assert seen == [FIRST]


@pytest.mark.parametrize("stream", [False, True])
def test_thoughts_before_an_answer_are_not_the_answer(wire: Wire, stream: bool) -> None:
    """Servers that are not told which model thinks leave its thoughts in the text."""
    text = f'<think>\nFirst <answer found="true"><sentence>No.</sentence> {{"found": false}}\n</think>\n\n{GOOD}'
    seen, made = ask(wire, wire.streams(text) if stream else wire.says(text), stream=stream)
    assert made.claims == (FIRST, SECOND)
    assert seen == ([FIRST, SECOND] if stream else [])
    error, _ = fault(wire, wire.says(f"<think>{GOOD}", stop=wire.cut))
    assert error.category == "cut_off"


def test_what_is_said_again_is_shown_once(wire: Wire) -> None:
    said = {"found": True, "sentences": [json.loads(GOOD)["sentences"][number] for number in (0, 1, 0, 0)]}
    _, made = ask(wire, wire.says(json.dumps(said)), stream=False)
    answer = verify(made, PASSAGES, question="How long?")
    assert [sentence.text for sentence in answer.sentences] == [FIRST.text, SECOND.text]


def test_a_context_that_is_full_is_told_from_a_limit(wire: Wire) -> None:
    error, _ = fault(wire, wire.says(GOOD[:20], stop=wire.cut), max_tokens=21)
    assert error.message == "the answer was cut off after 20 tokens (the context of the server is full)"
    assert "give the server a longer one" in error.hint


@pytest.mark.parametrize("text", ['{"found": false, "sentences": [{"te', '<answer found="false"><sent'])
def test_a_reply_cut_off_after_it_declined_has_declined(wire: Wire, text: str) -> None:
    _, made = ask(wire, wire.says(text, stop=wire.cut), stream=False)
    assert (made.found, made.not_found_reason, made.claims) == (False, "model_declined", ())


@pytest.mark.parametrize("text", ["", GOOD[:20], '<answer found="true"><sentence>Refunds ta', "Refunds take 5 wor"])
def test_a_reply_cut_off_before_anything_was_complete(wire: Wire, text: str) -> None:
    error, _ = fault(wire, wire.says(text, stop=wire.cut), max_tokens=20)
    assert error.category == "cut_off"
    assert error.message == "the answer was cut off after 20 tokens (answer.max_tokens is 20)"


@pytest.mark.parametrize("text", ["", "  \n", "…"])
@pytest.mark.parametrize("stream", [False, True])
def test_an_empty_reply_is_not_a_word_about_the_documents(wire: Wire, text: str, stream: bool) -> None:
    acts: list[Act] = [wire.streams(text) if stream else wire.says(text), wire.says(text)]
    with serving(*acts) as server, pytest.raises(ModelError, match="gave an empty answer") as caught:
        wire.answerer(server.url).generate_streaming("How long?", PASSAGES, [].append if stream else None)
    assert caught.value.category == "empty_reply"
    assert len(server.requests) == 2  # it was asked once more, in the tagged form


@pytest.mark.parametrize(
    ("how", "category"),
    [("error_after", "overloaded"), ("cut_after", "unreachable"), ("end_after", "broken_off")],
)
def test_a_stream_that_breaks_gives_what_was_complete_before(wire: Wire, how: str, category: str) -> None:
    error, seen = fault(wire, wire.streams(GOOD, **{how: IN_SECOND // 7}), stream=True)
    assert error.category == category
    assert seen == [FIRST]


@pytest.mark.parametrize("stream", [False, True])
def test_a_trickle_ends_at_the_deadline(wire: Wire, stream: bool) -> None:
    act = trickles(b": ping\n", 0.05, "text/event-stream") if stream else trickles(b" ", 0.05, "application/json")
    started = time.monotonic()
    error, _ = fault(wire, act, stream=stream, deadline_seconds=0.6, retries=1)
    assert error.category == "timeout"
    assert "did not finish its answer within 0.6 seconds" in error.message
    assert "answer.deadline_seconds" in error.hint
    assert 0.6 <= time.monotonic() - started < 3


def test_silence_ends_sooner(wire: Wire) -> None:
    error, _ = fault(wire, sleeps(1.0), timeout_seconds=0.2)
    assert error.message.endswith("did not answer within 0.2 seconds")
    assert "answer.timeout_seconds" in error.hint


def test_nobody_there(wire: Wire) -> None:
    with serving(wire.says(GOOD)) as server:
        answerer = wire.answerer(server.url)
    with pytest.raises(ModelError, match="Connection refused") as caught:
        answerer.generate("How long?", PASSAGES)
    assert caught.value.category == "unreachable"
    assert "is the server running?" in caught.value.hint


def test_a_name_that_nobody_has(wire: Wire) -> None:
    with pytest.raises(ModelError) as caught:
        wire.answerer("https://no-such-host.invalid").generate("How long?", PASSAGES)
    assert caught.value.category == "unreachable"


def test_https_to_a_server_that_speaks_http(wire: Wire) -> None:
    with serving(wire.says(GOOD)) as server, pytest.raises(ModelError, match="SSL") as caught:
        wire.answerer(server.url.replace("http://", "https://")).generate("How long?", PASSAGES)
    assert caught.value.category == "unreachable"
    assert "does not speak https" in caught.value.hint


def test_a_certificate_of_nobody(wire: Wire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    made += ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    server = MessagesServer([wire.says(GOOD)])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        with pytest.raises(ModelError, match="CERTIFICATE_VERIFY_FAILED") as caught:
            wire.answerer(server.url.replace("http://", "https://")).generate("How long?", PASSAGES)
        assert not server.requests
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))  # as the hint says
        assert wire.answerer(server.url.replace("http://", "https://")).generate("How long?", PASSAGES).found
    finally:
        server.shutdown()
        server.server_close()
    assert caught.value.category == "unreachable"
    assert "SSL_CERT_FILE" in caught.value.hint


def test_a_refusal(wire: Wire) -> None:
    stop = "refusal" if wire is WIRES["messages"] else "content_filter"
    error, _ = fault(wire, wire.says("", stop=stop))
    assert error.category == "refused"
    assert "--provider extractive" in error.hint


def test_a_defect_of_ours_is_not_blamed_on_the_server(wire: Wire) -> None:
    def on_claim(claim: Claim) -> None:
        raise KeyError("ours")

    with serving(wire.streams(GOOD)) as server, pytest.raises(KeyError, match="ours"):
        wire.answerer(server.url).generate_streaming("How long?", PASSAGES, on_claim)


def test_passing_trouble_is_tried_again(wire: Wire) -> None:
    with serving(wire.fails(529, "overloaded_error", retry_after="0.05"), wire.says(GOOD)) as server:
        made = wire.answerer(server.url, retries=1).generate("How long?", PASSAGES)
    assert made.claims == (FIRST, SECOND)
    assert len(server.requests) == 2


def test_a_server_without_schemas_is_asked_again_in_tags(wire: Wire) -> None:
    name = "output_config" if wire is WIRES["messages"] else "response_format"
    tagged = '<answer found="true"><sentence>Refunds take 5 working days.<cite passage="1">within 5 working days</cite>'
    refusal = wire.fails(400, "invalid_request_error", f"{name}: not supported")
    seen: list[Claim] = []
    with serving(refusal, wire.streams(tagged + "</sentence></answer>")) as server:
        made = wire.answerer(server.url).generate_streaming("How long?", PASSAGES, seen.append)
    assert made.claims == tuple(seen) == (FIRST,)
    assert [name in body for body in server.bodies] == [True, False]


def test_the_end_of_a_reply_that_cannot_be_read_is_told(wire: Wire) -> None:
    seen, made = ask(wire, wire.streams(GOOD[:IN_SECOND] + "\\q"), stream=True)
    assert made.claims == tuple(seen) == (FIRST,)
    assert made.notices == ("the end of its reply could not be read",)


def test_a_server_that_cannot_count_is_asked_for_one_token() -> None:
    with serving(fails(404, "not_found_error"), says("H")) as server:
        answerer = WIRES["messages"].answerer(server.url)
        connection = Connection(dataclasses.replace(answerer.client.endpoint, is_own=False), 5.0, 0)
        MessagesClient(connection).reach("m-1")
    assert [request["path"] for request in server.requests] == ["/v1/messages/count_tokens", "/v1/messages"]
    assert server.bodies[1]["max_tokens"] == 1


def test_a_model_that_is_not_there_is_found_out(wire: Wire) -> None:
    with serving(wire.fails(404, "not_found_error", "model: m-1")) as server, pytest.raises(ModelError) as caught:
        wire.answerer(server.url).client.reach("m-1")
    assert caught.value.category == "unknown_model"


def test_a_json_body_that_names_an_error(wire: Wire) -> None:
    error, _ = fault(wire, answers({"error": "model is loading"}))
    assert error.category == "malformed"
    assert "model is loading" in error.message
