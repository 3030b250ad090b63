"""Chat completions: what is sent in that form, what is read from it, and who gets which key."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from ragcli.answer.loading import model_client, text_model
from ragcli.answer.model.chat import chat_body
from ragcli.answer.model.connection import Connection
from ragcli.answer.model.endpoint import CHAT, find_endpoint
from ragcli.answer.model.message import Message, ToolUse
from ragcli.answer.model.openai import ChatClient
from ragcli.config.loading import load
from ragcli.errors import ConfigError, ModelError
from ragcli.records import ModelRequest, Usage
from tests.answer.chat_server import chat_message, chat_says, chat_streams
from tests.answer.messages_server import MessagesServer, answers, sends_event, serving

ALL = {"OPENAI_API_KEY": "the-key", "RAG_ANSWER_KEY": "own-key", "ANTHROPIC_API_KEY": "another"}
ASKED = {"model": "m-1", "max_tokens": 9, "messages": [{"role": "user", "content": "Hello"}]}


def client(server: MessagesServer, environ: dict[str, str] | None = None) -> ChatClient:
    found = find_endpoint(server.url, "command line", environ or {}, offline=False, service=CHAT)
    return ChatClient(Connection(found, timeout_seconds=5, retries=0))


def test_a_request_in_the_form_of_messages_is_said_in_that_of_chat_completions() -> None:
    schema = {"type": "object"}
    text = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    body = {
        "model": "m-1",
        "max_tokens": 9,
        "system": text,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "A"}, {"type": "text", "text": "B"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "ä"}}]},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": True}],
            },
        ],
        "tools": [{"name": name, "description": "Searches.", "input_schema": schema} for name in ("query", "search")],
        "tool_choice": {"type": "tool", "name": "search"},
        "output_config": {"format": {"type": "json_schema", "schema": schema}},
    }
    call = {"id": "t1", "type": "function", "function": {"name": "search", "arguments": '{"q": "ä"}'}}
    said = chat_body(body, is_own=False)
    assert said == {
        "model": "m-1",
        "max_tokens": 9,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "A\n\nB"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "t1", "content": "error: no"},
        ],
        "tools": [
            {"type": "function", "function": {"name": "search", "description": "Searches.", "parameters": schema}}
        ],
        "tool_choice": "required",
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": schema},
        },
    }
    own = chat_body({**body, "tool_choice": {"type": "auto"}}, is_own=True)
    assert (own["max_completion_tokens"], own["tool_choice"]) == (9, "auto")
    assert [tool["function"]["name"] for tool in own["tools"]] == ["query", "search"]
    assert "max_tokens" not in own


def test_a_whole_reply_and_a_streamed_one_are_read_alike() -> None:
    with serving(chat_says("Hello there", cached=30), chat_streams("Hello there")) as server:
        whole = client(server).send(ASKED)
        *pieces, last = client(server).stream(ASKED)
    usage, blocks = Usage(70, 20, cache_read_tokens=30), ({"type": "text", "text": "Hello there"},)
    assert whole == Message("Hello there", "end_turn", usage, "gpt-test-1", (), blocks)
    assert pieces == ["Hello t", "here"]
    assert last == dataclasses.replace(whole, usage=Usage(100, 20))
    assert [body.get("stream") for body in server.bodies] == [None, True]
    assert server.bodies[1]["stream_options"] == {"include_usage": True}


def test_calls_of_tools_are_read_whole_and_in_pieces() -> None:
    expected = (ToolUse("call_1", "search", {"query": "leave"}),)

    def pieces(handler: Any) -> None:
        handler.begin_stream()
        for delta in (
            {"tool_calls": [{"index": 0, "id": "call_1", "function": {"name": "search", "arguments": '{"que'}}]},
            {"tool_calls": [{"index": 0, "function": {"arguments": 'ry": "leave"}'}}]},
        ):
            sends_event(handler, {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        sends_event(handler, {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
        handler.send_chunk(b"")

    with serving(chat_says(None, stop="tool_calls", calls=[("search", {"query": "leave"})]), pieces) as server:
        whole = client(server).send(ASKED)
        (streamed,) = client(server).stream(ASKED)
    assert isinstance(streamed, Message)
    assert whole.tool_uses == streamed.tool_uses == expected
    assert whole.stop_reason == streamed.stop_reason == "tool_use"
    assert whole.content == ({"type": "tool_use", "id": "call_1", "name": "search", "input": {"query": "leave"}},)
    assert (streamed.usage, streamed.model) == (Usage(), "m-1")  # this server counts nothing and does not name itself


@pytest.mark.parametrize("given", ["{not json", "[1]", ""])
def test_a_call_that_is_no_object_is_given_nothing(given: str) -> None:
    reply = chat_message(None, stop="tool_calls", calls=[("search", {})])
    reply["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = given
    with serving(answers(reply)) as server:
        assert client(server).send(ASKED).tool_uses == (ToolUse("call_1", "search", {}),)


@pytest.mark.parametrize(
    ("url", "environ", "key", "leads_to"),
    [
        ("", ALL, "the-key", "https://api.openai.com/v1"),
        ("https://api.openai.com", ALL, "the-key", "https://api.openai.com/v1"),
        ("https://llm.example/v1", ALL, "own-key", "https://llm.example/v1"),
        ("https://llm.example/v1beta/openai", {"OPENAI_API_KEY": "k"}, "none", "https://llm.example/v1beta/openai"),
        ("http://localhost:11434", ALL, "own-key", "http://localhost:11434/v1"),
        ("http://127.0.0.1:1234/v1", {"OPENAI_API_KEY": "k"}, "none", "http://127.0.0.1:1234/v1"),
        ("", ALL | {"OPENAI_BASE_URL": "http://localhost:8000/v1"}, "own-key", "http://localhost:8000/v1"),
    ],
)
def test_openais_key_goes_to_openai_alone(url: str, environ: dict[str, str], key: str, leads_to: str) -> None:
    found = find_endpoint(url, "RAG_ANSWER__BASE_URL", environ, offline=False, service=CHAT)
    assert (found.api_key, found.auth_token, found.url) == (key, None, leads_to)


def test_without_a_key_of_openai_nothing_is_sent() -> None:
    with pytest.raises(ModelError, match="OPENAI_API_KEY is not set") as caught:
        find_endpoint("", "default", {"RAG_ANSWER_KEY": "k"}, offline=False, service=CHAT)
    assert caught.value.category == "no_key"
    with pytest.raises(ConfigError, match="plain http"):
        find_endpoint("http://llm.example", "default", ALL, offline=False, service=CHAT)
    with pytest.raises(ModelError, match=r"answer\.provider is openai and RAG_OFFLINE is set"):
        find_endpoint("", "default", ALL, offline=True, service=CHAT)


def test_nothing_of_openais_goes_to_another_server_or_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "of-the-user")
    with serving(chat_says("no")) as proxy, serving(chat_says("yes")) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        assert client(server).send(ASKED).text == "yes"
        assert not proxy.requests
    headers = {name.lower(): value for name, value in server.requests[0]["headers"].items()}
    assert headers["authorization"] == "Bearer none"
    assert "of-the-user" not in str(headers)


def test_no_redirect_is_followed() -> None:
    with serving(chat_says("x")) as other, serving() as server:
        target = f"{other.url}/v1/chat/completions"
        server.script[:] = [lambda handler: handler.reply(307, b"", location=target)]
        with pytest.raises(ModelError, match="answered 307: it sends elsewhere"):
            client(server).send(ASKED)
        assert not other.requests


def test_the_least_that_shows_a_server_is_there() -> None:
    with serving(chat_says("H")) as server:
        client(server).reach("m-1")
    assert [request["path"] for request in server.requests] == ["/v1/chat/completions"]
    assert server.bodies[0]["max_tokens"] == 1


def _config(folder: Path, **settings: Any) -> Any:
    said = {"answer.provider": "openai", "answer.base_url": "http://127.0.0.1:9", **settings}
    return load(overrides=said, environ={}, cwd=folder)


def test_a_model_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"answer\.model is still claude-") as caught:
        model_client(_config(tmp_path), {})
    assert caught.value.hint.startswith("RAG_ANSWER__MODEL=")


def test_without_its_package_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match="its client is not installed") as caught:
        model_client(_config(tmp_path, **{"answer.model": "m-1"}), {})
    assert caught.value.hint == "pip install 'ragcli[openai]'"


def test_small_questions_about_chunks(tmp_path: Path) -> None:
    with serving(chat_says("ok")) as server:
        config = _config(tmp_path, **{"answer.model": "m-1", "answer.base_url": server.url})
        model = text_model(config, {})
        done = list(model.complete_many([ModelRequest("LONG", "about 1")], max_tokens=50))
        with pytest.raises(ConfigError, match=r"answer\.provider openai offers no batches"):
            text_model(config, {}, batch=True)
    assert done == [(0, "ok", Usage(100, 20))]
    assert server.bodies[0]["messages"] == [{"role": "user", "content": "LONG\n\nabout 1"}]
