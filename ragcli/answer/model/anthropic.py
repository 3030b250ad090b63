"""The Messages API through the ``anthropic`` SDK: one request, one reply, and errors a user can act on.

The SDK retries 408, 409, 429, 5xx and broken connections with backoff and honours ``retry-after``. It is imported when
the first request is made, not before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragcli.answer.model.endpoint import OWN_KEY, Endpoint
from ragcli.errors import ModelError
from ragcli.records import Usage

if TYPE_CHECKING:
    import anthropic

_STREAM_ERRORS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}
_RETRY_WAIT = "the server was asked several times; try again later or raise answer.retries"


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool the model wants used."""

    id: str
    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One reply. ``content`` are its blocks as they must be sent back in a conversation."""

    text: str
    stop_reason: str
    usage: Usage
    model: str
    tool_uses: tuple[ToolUse, ...] = ()
    content: tuple[Mapping[str, Any], ...] = ()


class MessagesClient:
    """A connection to one endpoint."""

    def __init__(self, endpoint: Endpoint, *, timeout_seconds: float, retries: int) -> None:
        self.endpoint = endpoint
        self._timeout_seconds = timeout_seconds
        self._retries = retries
        self._client: anthropic.Anthropic | None = None

    def send(self, body: Mapping[str, Any]) -> Message:
        """The whole reply to ``body``. Raises ModelError with a category and what to do."""
        with self._errors(body):
            return _message(self._connected().messages.create(**body))

    def stream(self, body: Mapping[str, Any], on_text: Callable[[str], None]) -> Message:
        """The reply to ``body``, its text also given to ``on_text`` piece by piece. Raises ModelError.

        A connection that breaks after the first piece is not tried again: what was shown cannot be taken back.
        """
        with self._errors(body), self._connected().messages.stream(**body) as events:
            for piece in events.text_stream:
                on_text(piece)
            return _message(events.get_final_message())

    def count_tokens(self, body: Mapping[str, Any]) -> int:
        """Input tokens of ``body`` as the server counts them. Raises ModelError."""
        counted = {name: value for name, value in body.items() if name != "max_tokens"}
        with self._errors(body):
            return int(self._connected().messages.count_tokens(**counted).input_tokens)

    def batch(
        self, bodies: Sequence[Mapping[str, Any]], *, poll_seconds: float = 15.0
    ) -> Iterator[tuple[int, Message]]:
        """Replies to many requests at half the price, through the Message Batches API, in any order.

        Waits until the batch has ended. A request that failed in it is left out; ModelError when all of them failed.
        """
        with self._errors(bodies[0]):
            client = self._connected()
            requests: Any = [{"custom_id": f"r{index}", "params": body} for index, body in enumerate(bodies)]
            batch = client.messages.batches.create(requests=requests)
            while batch.processing_status != "ended":
                time.sleep(poll_seconds)
                batch = client.messages.batches.retrieve(batch.id)
            failures: list[str] = []
            for result in client.messages.batches.results(batch.id):
                if result.result.type == "succeeded":
                    yield int(result.custom_id[1:]), _message(result.result.message)
                else:
                    failures.append(result.result.type)
            if len(failures) == len(bodies):
                raise ModelError(f"all {len(bodies)} requests of the batch {failures[0]}", category="model")

    def _connected(self) -> anthropic.Anthropic:
        if self._client is None:
            import anthropic

            # A redirect would carry key and passages to a host that nobody named, and a proxy what stays on this
            # machine to another one. Traces of requests go nowhere, whatever collector the environment names.
            proxies: dict[str, Any] = dict.fromkeys(("all://", "http://", "https://")) if self.endpoint.is_local else {}
            self._client = anthropic.Anthropic(
                api_key=self.endpoint.api_key,
                auth_token=self.endpoint.auth_token,
                base_url=self.endpoint.url,
                timeout=self._timeout_seconds,
                max_retries=self._retries,
                open_telemetry=False,
                http_client=anthropic.DefaultHttpxClient(
                    follow_redirects=False, timeout=self._timeout_seconds, mounts=proxies
                ),
            )
        return self._client

    @contextmanager
    def _errors(self, body: Mapping[str, Any]) -> Iterator[None]:
        """Turns what the SDK raises into ModelError."""
        import anthropic
        import httpx2

        host, model = self.endpoint.host, str(body.get("model", ""))
        try:
            yield
        except anthropic.APIStatusError as error:
            status = _STREAM_ERRORS.get(str(error.type), 500) if error.status_code == 200 else error.status_code
            raise _status_error(status, _said(error), self.endpoint, model) from error
        except (anthropic.APITimeoutError, httpx2.TimeoutException) as error:
            raise ModelError(
                f"{host} did not answer within {self._timeout_seconds:g} seconds",
                hint="raise answer.timeout_seconds, or lower answer.passages",
                category="timeout",
            ) from error
        except (anthropic.APIConnectionError, httpx2.TransportError) as error:
            raise ModelError(
                f"the connection to {host} failed: {error.__cause__ or error}",
                hint="rag doctor checks the address; --provider extractive needs no network",
                category="unreachable",
            ) from error
        except (anthropic.AnthropicError, ValueError) as error:  # a body that is not JSON, or not a message
            raise ModelError(
                f"{host} answered, but not in the form of the Messages API: {str(error)[:200]}",
                hint="check answer.base_url",
                category="malformed",
            ) from error


def _said(error: anthropic.APIStatusError) -> str:
    return (error.api_message or error.message or "").strip()[:400]


def _status_error(status: int, said: str, endpoint: Endpoint, model: str) -> ModelError:
    """The error for an HTTP status, in the words of the server, with what to do."""
    host, key = endpoint.host, endpoint.key_from
    wrong_key = f"the key in {key} was not accepted; make a new one or unset it"
    if not key:
        wrong_key = f"{host} wants a key: export {OWN_KEY}=… (ANTHROPIC_API_KEY is not sent to it)"
    if 300 <= status < 400:
        said = "it sends elsewhere, and no key or passage follows it there"
    category, hint = {
        400: ("bad_request", "if it speaks of length, lower answer.passages or answer.passage_tokens"),
        401: ("bad_key", wrong_key),
        403: ("bad_key", f"the key in {key} may not use this model" if key else wrong_key),
        404: ("unknown_model", f"answer.model is {model!r}: check the name, and answer.base_url"),
        413: ("too_large", "lower answer.passages or answer.passage_tokens, or leave --direct out"),
        429: ("rate_limited", _RETRY_WAIT),
        529: ("overloaded", _RETRY_WAIT),
    }.get(status, ("server_error", _RETRY_WAIT) if status >= 500 else ("refused", "check answer.base_url"))
    return ModelError(f"{host} answered {status}: {said or 'no message'}", hint=hint, category=category)


def _message(reply: Any) -> Message:
    """The SDK's message as ours. Raises ModelError for a refusal, ValueError for something that is no message."""
    content, usage = getattr(reply, "content", None), getattr(reply, "usage", None)
    if not isinstance(content, list) or usage is None:
        raise ValueError(f"no message in {str(reply)[:120]!r}")
    if reply.stop_reason == "refusal":
        details = getattr(getattr(reply, "stop_details", None), "explanation", None)
        raise ModelError(
            f"the model refused to answer{f': {details}' if details else ''}",
            hint="ask in other words, or --provider extractive",
            category="refused",
        )
    return Message(
        text="".join(block.text for block in content if block.type == "text"),
        stop_reason=str(reply.stop_reason or ""),
        usage=Usage(
            input_tokens=usage.input_tokens or 0,
            output_tokens=usage.output_tokens or 0,
            cache_read_tokens=getattr(usage, "cache_read_input_tokens", None) or 0,
            cache_write_tokens=getattr(usage, "cache_creation_input_tokens", None) or 0,
        ),
        model=str(reply.model),
        tool_uses=tuple(ToolUse(block.id, block.name, block.input) for block in content if block.type == "tool_use"),
        content=tuple(block.model_dump(exclude_none=True) for block in content),
    )
