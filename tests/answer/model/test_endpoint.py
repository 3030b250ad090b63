"""Where a request goes, with which key, and what never leaves: against servers on this machine."""

from __future__ import annotations

import pytest

from ragcli.answer.model.anthropic import MessagesClient
from ragcli.answer.model.connection import Connection
from ragcli.answer.model.endpoint import find_endpoint
from ragcli.errors import ConfigError, ModelError
from tests.answer.messages_server import Act, MessagesServer, answers, fails, serving
from tests.attack import base_url

ALL = {"ANTHROPIC_API_KEY": "the-key", "ANTHROPIC_AUTH_TOKEN": "the-token", "RAG_ANSWER_KEY": "own-key"}
COUNT = {"model": "m", "messages": [{"role": "user", "content": "x"}]}


def test_every_form_of_an_address_is_refused_or_safe() -> None:
    outcome = base_url.run(tries=300, seed=1)
    assert outcome.tries == 300 and not outcome.failures


@pytest.mark.parametrize(
    ("url", "environ", "sent"),
    [
        ("", ALL, ("the-key", None)),
        ("https://api.anthropic.com/v1/", ALL, ("the-key", None)),
        ("", {"ANTHROPIC_AUTH_TOKEN": "the-token"}, (None, "the-token")),
        ("https://llm.example", ALL, ("own-key", None)),
        ("https://llm.example", {"ANTHROPIC_API_KEY": "the-key"}, ("the-key", None)),
        ("https://llm.example", {"ANTHROPIC_AUTH_TOKEN": "the-token"}, (None, "the-token")),
        ("https://llm.example", {}, ("none", None)),
        ("http://localhost:8000", ALL, ("own-key", None)),
        ("http://localhost:8000", {"ANTHROPIC_API_KEY": "the-key", "ANTHROPIC_AUTH_TOKEN": "t"}, ("none", None)),
        ("https://127.0.0.1:8000", {"ANTHROPIC_API_KEY": "the-key"}, ("none", None)),
    ],
)
def test_which_key_is_sent(url: str, environ: dict[str, str], sent: tuple[str | None, str | None]) -> None:
    found = find_endpoint(url, "RAG_ANSWER__BASE_URL", environ, offline=False)
    assert (found.api_key, found.auth_token) == sent
    assert not any(value in repr(found) for value in ALL.values())


def test_no_key_offline_and_the_environments_own_server() -> None:
    with pytest.raises(ModelError, match="ANTHROPIC_API_KEY is not set") as caught:
        find_endpoint("", "default", {"RAG_ANSWER_KEY": "own-key"}, offline=False)
    assert caught.value.category == "no_key"
    with pytest.raises(ModelError) as caught:
        find_endpoint("http://localhost:1", "command line", ALL, offline=True)
    assert caught.value.category == "offline"
    environ = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://[::ffff:127.0.0.1]:9/v1"}
    assert find_endpoint("", "default", environ, offline=False).url == "http://127.0.0.1:9"
    with pytest.raises(ConfigError, match=r"ANTHROPIC_BASE_URL is 'http://llm\.example': plain http") as refused:
        find_endpoint("", "default", environ | {"ANTHROPIC_BASE_URL": "http://llm.example"}, offline=False)
    assert "ssh -L" in refused.value.hint


def test_what_stands_before_the_host_is_not_repeated() -> None:
    with pytest.raises(ConfigError) as caught:
        find_endpoint("https://me:geheim@llm.example", "RAG_ANSWER__BASE_URL", ALL, offline=False)
    assert "geheim" not in caught.value.message


def client(server: MessagesServer, environ: dict[str, str] | None = None) -> MessagesClient:
    found = find_endpoint(server.url, "command line", environ or {"ANTHROPIC_API_KEY": "the-key"}, offline=False)
    return MessagesClient(Connection(found, timeout_seconds=5, retries=0))


def redirects(status: int, target: str) -> Act:
    return lambda handler: handler.reply(status, b"", location=target)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(status: int) -> None:
    with serving(answers({"input_tokens": 1})) as other, serving() as server:
        server.script[:] = [redirects(status, f"{other.url}/v1/messages/count_tokens")]
        with pytest.raises(ModelError, match=f"answered {status}: it sends elsewhere"):
            client(server).count_tokens(COUNT)
        assert len(server.requests) == 1 and not other.requests


def test_no_proxy_stands_before_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answers({"input_tokens": 1})) as proxy, serving(answers({"input_tokens": 7})) as server:
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        assert client(server).count_tokens(COUNT) == 7
        assert not proxy.requests


def test_a_server_on_this_machine_gets_a_placeholder_and_says_which_key_it_wants() -> None:
    with serving(fails(401, "authentication_error")) as server:
        with pytest.raises(ModelError) as caught:
            client(server).count_tokens(COUNT)
        assert "RAG_ANSWER_KEY" in caught.value.hint
        with pytest.raises(ModelError, match="answered 401") as caught:
            client(server, ALL).count_tokens(COUNT)
        assert "the key in RAG_ANSWER_KEY" in caught.value.hint
        sent = [request["headers"] for request in server.requests]
    keys = [headers.get("X-Api-Key") or headers["Authorization"].removeprefix("Bearer ") for headers in sent]
    assert keys == ["none", "own-key"]
    assert not any("the-key" in str(headers) or "the-token" in str(headers) for headers in sent)
