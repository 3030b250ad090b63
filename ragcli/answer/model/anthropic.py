"""The Messages API through the ``anthropic`` SDK, which is imported when the first request is made, not before."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ragcli.answer.model import failures
from ragcli.answer.model.connection import Connection
from ragcli.answer.model.endpoint import Endpoint
from ragcli.answer.model.message import Body, Message, ToolUse, checked, piece, spoken
from ragcli.errors import ModelError
from ragcli.records import Usage

if TYPE_CHECKING:
    import anthropic


class MessagesClient:
    """Implements ``ModelClient``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._client: anthropic.Anthropic | None = None

    @property
    def endpoint(self) -> Endpoint:
        """The server."""
        return self._connection.endpoint

    def send(self, body: Body) -> Message:
        """The whole reply."""
        import anthropic

        with self._connection.faults(anthropic, _model(body)):
            return _message(self._connected().messages.create(**body))

    def stream(self, body: Body) -> Iterator[str | Message]:
        """The text piece by piece, then the whole reply."""
        import anthropic

        with self._connection.faults(anthropic, _model(body)), self._connected().messages.stream(**body) as events:
            for text in events.text_stream:
                yield piece(text)
            message = _message(events.get_final_message())
        if not message.stop_reason:
            raise failures.broken_off(self.endpoint)
        yield message

    def count_tokens(self, body: Body) -> int:
        """Input tokens of ``body`` as the server counts them. Raises ModelError."""
        import anthropic

        counted = {name: value for name, value in body.items() if name != "max_tokens"}
        with self._connection.faults(anthropic, _model(body)):
            return int(self._connected().messages.count_tokens(**counted).input_tokens)

    def reach(self, model: str) -> None:
        """Count the tokens of a word, which costs nothing; a server that cannot count is asked for one token."""
        body = {"model": model, "messages": [{"role": "user", "content": "Hello"}]}
        try:
            self.count_tokens(body)
        except ModelError as error:
            if self.endpoint.is_own or error.category in ("unreachable", "timeout", "bad_key", "no_credit"):
                raise
            self.send({**body, "max_tokens": 1})

    def batch(self, bodies: Sequence[Body], *, poll_seconds: float = 15.0) -> Iterator[tuple[int, Message]]:
        """Replies through the Message Batches API, once the batch has ended.

        A request that failed in it is left out; ModelError when all of them failed.
        """
        failed: list[str] = []
        for index, result in self._results(bodies, poll_seconds):
            if result.type == "succeeded":
                yield index, _message(result.message)
            else:
                failed.append(result.type)
        if len(failed) == len(bodies):
            raise ModelError(
                f"all {len(bodies)} requests of the batch {failed[0]}",
                hint="chunk.context_batch: false sends them one by one",
                category="model",
            )

    def _results(self, bodies: Sequence[Body], poll_seconds: float) -> list[tuple[int, Any]]:
        import anthropic

        client = self._connected()
        requests: Any = [{"custom_id": f"r{index}", "params": body} for index, body in enumerate(bodies)]
        with self._connection.faults(anthropic, _model(bodies[0])):
            batch = client.messages.batches.create(requests=requests)
        while batch.processing_status != "ended":
            time.sleep(poll_seconds)
            with self._connection.faults(anthropic, _model(bodies[0])):
                batch = client.messages.batches.retrieve(batch.id)
        with self._connection.faults(anthropic, _model(bodies[0])):
            found = client.messages.batches.results(batch.id)
            return [(int(item.custom_id[1:]), item.result) for item in found]

    def _connected(self) -> anthropic.Anthropic:
        if self._client is None:
            import anthropic

            self._client = anthropic.Anthropic(
                api_key=self.endpoint.api_key,
                auth_token=self.endpoint.auth_token,
                base_url=self.endpoint.url,
                timeout=self._connection.timeout_seconds,
                max_retries=self._connection.retries,
                open_telemetry=False,  # traces of requests go nowhere, whatever collector the environment names
                http_client=self._connection.http_client(anthropic),
            )
        return self._client


def _model(body: Body) -> str:
    return str(body.get("model", ""))


def _message(reply: Any) -> Message:
    """The SDK's message as ours. Raises ModelError for a refusal, ValueError for something that is no message."""
    content, usage = getattr(reply, "content", None), getattr(reply, "usage", None)
    if not isinstance(content, list) or usage is None:
        raise failures.no_message(reply)
    if reply.stop_reason == "refusal":
        raise failures.declined(getattr(getattr(reply, "stop_details", None), "explanation", None) or "")
    message = Message(
        text=spoken("".join(block.text for block in content if block.type == "text")),
        stop_reason=str(reply.stop_reason or ""),
        usage=Usage(
            input_tokens=usage.input_tokens or 0,
            output_tokens=usage.output_tokens or 0,
            cache_read_tokens=getattr(usage, "cache_read_input_tokens", None) or 0,
            cache_write_tokens=getattr(usage, "cache_creation_input_tokens", None) or 0,
        ),
        model=str(reply.model),
        tool_uses=tuple(ToolUse(block.id, block.name, block.input) for block in content if block.type == "tool_use"),
        content=tuple(block.model_dump(exclude_none=True, warnings=False) for block in content),
    )
    return checked(message)
