"""Chat completions through the ``openai`` SDK (``ragcli[openai]``), imported when the first request is made.

Spoken by OpenAI, by many hosted models, and by vLLM, LM Studio, llama.cpp and Ollama on a machine of one's own.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragcli.answer.model import failures
from ragcli.answer.model.chat import chat_body, message_of
from ragcli.answer.model.connection import Connection
from ragcli.answer.model.endpoint import Endpoint
from ragcli.answer.model.message import Body, Message, piece
from ragcli.errors import ModelError
from ragcli.records import Usage

if TYPE_CHECKING:
    import openai

_STREAMED = {"stream": True, "stream_options": {"include_usage": True}}


class ChatClient:
    """Implements ``ModelClient``. Raises ModelError when the SDK is not installed."""

    batch = None
    """Not offered: OpenAI's batches are files, and other servers have none."""

    def __init__(self, connection: Connection) -> None:
        if importlib.util.find_spec("openai") is None:
            raise ModelError(
                "answer.provider is openai, and its client is not installed",
                hint="pip install 'ragcli[openai]'",
                category="not_installed",
            )
        self._connection = connection
        self._client: openai.OpenAI | None = None

    @property
    def endpoint(self) -> Endpoint:
        """The server."""
        return self._connection.endpoint

    def send(self, body: Body) -> Message:
        """The whole reply."""
        import openai

        with self._connection.faults(openai, str(body["model"])):
            reply: Any = self._connected().chat.completions.create(**self._said(body))
            choices = getattr(reply, "choices", None)
            if not choices:
                raise failures.no_message(reply)
            said = choices[0].message
            text, stop = said.content or "", str(choices[0].finish_reason or "")
            calls = [(call.id, call.function.name, call.function.arguments) for call in said.tool_calls or ()]
            message = message_of(text, calls, stop, _usage(reply.usage), str(reply.model or body["model"]))
        return self._accepted(message, getattr(said, "refusal", None) or "")

    def stream(self, body: Body) -> Iterator[str | Message]:
        """The text piece by piece, then the whole reply."""
        import openai

        parts = _Parts()
        with self._connection.faults(openai, str(body["model"])):
            client: Any = self._connected()
            with client.chat.completions.create(**self._said(body), **_STREAMED) as chunks:
                for chunk in chunks:
                    if text := parts.add(chunk):
                        yield piece(text)
            if not parts.seen:
                raise ValueError("no message in its stream")
            message, refusal = parts.message(str(body["model"])), "".join(parts.refusal)
        if not parts.stop:
            raise failures.broken_off(self.endpoint)
        yield self._accepted(message, refusal)

    def reach(self, model: str) -> None:
        """Look the model up, which costs nothing; servers of other people are asked for one token."""
        import openai

        if self.endpoint.is_own:
            with self._connection.faults(openai, model):
                self._connected().models.retrieve(model)
        else:
            self.send({"model": model, "max_tokens": 1, "messages": [{"role": "user", "content": "Hello"}]})

    def _said(self, body: Body) -> dict[str, Any]:
        return chat_body(body, is_own=self.endpoint.is_own)

    def _accepted(self, message: Message, refusal: str) -> Message:
        if refusal or message.stop_reason == "refusal":
            raise failures.declined(refusal)
        return message

    def _connected(self) -> openai.OpenAI:
        if self._client is None:
            import openai

            # What the environment says of an organisation and of an administrator's key is for OpenAI alone.
            mine: dict[str, Any] = {} if self.endpoint.is_own else {"organization": "", "project": ""}
            self._client = openai.OpenAI(
                api_key=self.endpoint.api_key,
                admin_api_key="",
                base_url=self.endpoint.url,
                timeout=self._connection.timeout_seconds,
                max_retries=self._connection.retries,
                http_client=self._connection.http_client(openai),
                **mine,
            )
        return self._client


class _Parts:
    """A reply put together from the chunks of its stream."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.refusal: list[str] = []
        self.calls: dict[int, list[str]] = {}
        self.stop, self.model, self.usage, self.seen = "", "", Usage(), False

    def add(self, chunk: Any) -> str:
        """Takes a chunk in; the text in it."""
        self.model = chunk.model or self.model
        self.usage = _usage(chunk.usage) if getattr(chunk, "usage", None) else self.usage
        text = ""
        for choice in chunk.choices or ():
            self.seen = True
            self.stop = choice.finish_reason or self.stop
            text += choice.delta.content or ""
            self.refusal.append(getattr(choice.delta, "refusal", None) or "")
            for call in choice.delta.tool_calls or ():
                known = self.calls.setdefault(call.index, ["", "", ""])
                known[0] = call.id or known[0]
                known[1] += call.function.name or ""
                known[2] += call.function.arguments or ""
        self.text.append(text)
        return text

    def message(self, asked: str) -> Message:
        """The whole; ``asked`` names the model where the server does not."""
        calls = [(id, name, given) for id, name, given in self.calls.values()]
        return message_of("".join(self.text), calls, self.stop, self.usage, self.model or asked)


def _usage(told: Any) -> Usage:
    """Tokens as the server counts them, those read from its cache apart; nothing where it does not count."""
    if told is None:
        return Usage()
    details = getattr(told, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None) or 0
    return Usage((told.prompt_tokens or 0) - cached, told.completion_tokens or 0, cache_read_tokens=cached)
