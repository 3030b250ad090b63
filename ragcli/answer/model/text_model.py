"""A model asked many small things about few long texts, for what is written about chunks and for judging."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from ragcli.answer.model.message import Batch, Message, ModelClient
from ragcli.answer.model.prompt import cached, text_block
from ragcli.records import ModelRequest, Usage

_AT_ONCE = 4


class WrittenTextModel:
    """A ``TextModel``: concurrent calls, or one ``batch`` where there is one (half the price, up to a day)."""

    def __init__(self, client: ModelClient, model: str, *, batch: Batch | None = None) -> None:
        self._client = client
        self._model = model
        self._batch = batch

    @property
    def name(self) -> str:
        """The model."""
        return self._model

    def complete(self, system: str, prompt: str, *, max_tokens: int = 2048) -> tuple[str, Usage]:
        """The reply to one prompt under a system prompt that may be cached. Raises ModelError."""
        body = self._body(prompt, max_tokens)
        if system:
            body["system"] = [cached(system)]
        message = self._client.send(body)
        return message.text, message.usage

    def complete_many(self, requests: Sequence[ModelRequest], *, max_tokens: int) -> Iterator[tuple[int, str, Usage]]:
        """The index of each request, its text and usage as they finish; the shared text is a cached block.

        The first request of each shared text goes ahead alone: it writes the cache that the others read.
        """
        bodies = [self._about(request, max_tokens) for request in requests]
        if self._batch is not None and len(bodies) > 1:
            for index, message in self._batch(bodies):
                yield index, message.text, message.usage
            return
        for group in _groups(requests):
            yield self._result(group[0], self._client.send(bodies[group[0]]))
            with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
                waiting = {pool.submit(self._client.send, bodies[index]): index for index in group[1:]}
                try:
                    for done in as_completed(waiting):
                        yield self._result(waiting[done], done.result())
                finally:
                    for left in waiting:
                        left.cancel()

    def _result(self, index: int, message: Message) -> tuple[int, str, Usage]:
        return index, message.text, message.usage

    def _about(self, request: ModelRequest, max_tokens: int) -> dict[str, Any]:
        body = self._body(request.prompt, max_tokens)
        if request.shared:
            body["messages"][0]["content"].insert(0, cached(request.shared))
        return body

    def _body(self, prompt: str, max_tokens: int) -> dict[str, Any]:
        content = [text_block(prompt)]
        return {"model": self._model, "max_tokens": max_tokens, "messages": [{"role": "user", "content": content}]}


def _groups(requests: Sequence[ModelRequest]) -> list[list[int]]:
    """Indexes of the requests by shared text, in order of first use; requests without one stand alone together."""
    groups: dict[str, list[int]] = {}
    for index, request in enumerate(requests):
        groups.setdefault(request.shared, []).append(index)
    return list(groups.values())
