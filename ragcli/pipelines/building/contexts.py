"""Chunks with what a language model wrote about them: cached by content, so that an interrupted run goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragcli.chunk.context import REPLY_TOKENS, Kind, request_key, requests_for, with_reply
from ragcli.chunk.plan import ContextPlan, plan
from ragcli.interfaces import ContextCache, Progress, TextModel, Tokenizer
from ragcli.records import Chunk, Document, ModelRequest, Usage

Cutting = tuple[Document, tuple[Chunk, ...]]


class PlannedModel:
    """A model by name alone, for working out what it would be asked."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def name(self) -> str:
        """The model."""
        return self._name

    def complete_many(self, requests: Sequence[ModelRequest], *, max_tokens: int) -> Iterator[tuple[int, str, Usage]]:
        """Never: a plan asks nothing."""
        raise AssertionError(f"a plan asked {self._name} {len(requests)} requests of {max_tokens} tokens")


class Contexts:
    """One model, one kind of text, one cache."""

    def __init__(self, model: TextModel, kind: Kind, cache: ContextCache, *, tokenizer: Tokenizer, budget: int) -> None:
        self._model = model
        self._kind: Kind = kind
        self._cache = cache
        self._tokenizer = tokenizer
        self._budget = budget
        self.usage = Usage()

    def added(self, batch: Sequence[Cutting], progress: Progress | None = None) -> list[tuple[Chunk, ...]]:
        """The chunks of each document with the model's words; only what no cache answers is asked, all at once.

        Raises ModelError as the model does; every reply received before that is kept in the cache.
        """
        requests = [requests_for(document, chunks, self._kind) for document, chunks in batch]
        unknown = (request for own in requests for request in own if self._known(request) is None)
        missing = list(dict.fromkeys(unknown))
        replies = self._model.complete_many(missing, max_tokens=REPLY_TOKENS) if missing else iter(())
        for done, (index, reply, usage) in enumerate(replies, 1):
            self._cache.put(self._key(missing[index]), reply)
            self.usage += usage
            if progress:
                progress("context", done, len(missing))
        return [
            tuple(self._with_reply(chunk, request) for chunk, request in zip(chunks, own, strict=True))
            for (_, chunks), own in zip(batch, requests, strict=True)
        ]

    def plan(self, cuttings: Iterator[Cutting]) -> ContextPlan:
        """What ``added`` would ask for these documents."""
        requests = (request for document, chunks in cuttings for request in requests_for(document, chunks, self._kind))
        return plan(self._model.name, ((each, self._known(each) is not None) for each in requests), self._tokenizer)

    def _with_reply(self, chunk: Chunk, request: ModelRequest) -> Chunk:
        reply = self._known(request)
        if reply is None:
            return chunk
        return with_reply(chunk, reply, self._kind, self._tokenizer, self._budget)

    def _known(self, request: ModelRequest) -> str | None:
        return self._cache.get(self._key(request))

    def _key(self, request: ModelRequest) -> str:
        return request_key(self._model.name, self._kind, request)
