"""Past questions and conversations as someone may see them today.

What was shown once may have been closed since. So a trace or a turn is shown to whoever is in every group it was asked
with *and* may see, by today's access, every document in it. Where a document is in no kept version any more, nobody can
say who may see it: the question stays, what came out of the document goes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from types import TracebackType

from ragcli.errors import StoreError
from ragcli.interfaces import Engine, Store
from ragcli.records import Trace, Turn, stricter_default


class TodaysAccess:
    """Which documents some groups may see, by the newest version that holds each; use it as a context manager.

    ``default_acl`` are the groups of a document that names none. Versions are opened when they are first needed.
    """

    def __init__(self, store: Store, groups: Collection[str], default_acl: Sequence[str]) -> None:
        self.groups = frozenset(groups)
        self._store, self._default = store, tuple(default_acl)
        self._opened: list[Engine] = []
        self._waiting = self._versions()
        self._known: dict[str, bool | None] = {}

    def __enter__(self) -> TodaysAccess:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for engine in self._opened:
            engine.close()

    def sees(self, doc_id: str) -> bool | None:
        """Whether the groups may see a document; None when no version that can be read holds it."""
        if doc_id not in self._known:
            self._known[doc_id] = next(filter(lambda seen: seen is not None, self._answers(doc_id)), None)
        return self._known[doc_id]

    def traces(self, traces: Iterable[Trace]) -> Iterator[Trace]:
        """Those that may be seen, in order, without what came out of documents that are gone."""
        for trace in traces:
            if self.groups.issuperset(trace.groups):
                seen = {doc_id: self.sees(doc_id) for doc_id in _documents(trace)}
                if False not in seen.values():
                    gone = {doc_id for doc_id, known in seen.items() if known is None}
                    yield _without(trace, gone) if gone else trace

    def turns(self, turns: Iterable[Turn]) -> Iterator[Turn]:
        """Those that may be seen, in order, without answers that came out of documents that are gone."""
        for turn in turns:
            seen = [self.sees(doc_id) for doc_id in turn.doc_ids]
            if self.groups.issuperset(turn.groups) and False not in seen:
                yield replace(turn, answer="") if None in seen else turn

    def _answers(self, doc_id: str) -> Iterator[bool | None]:
        yield from (self._in(engine, doc_id) for engine in list(self._opened))
        for engine in self._waiting:
            self._opened.append(engine)
            yield self._in(engine, doc_id)

    def _in(self, engine: Engine, doc_id: str) -> bool | None:
        try:
            metadata = engine.headers([doc_id])[0].metadata
        except KeyError:
            return None
        built = engine.settings.get("index", {}).get("default_acl", ())
        return metadata.is_open_to(self.groups, stricter_default(built, self._default))

    def _versions(self) -> Iterator[Engine]:
        """The current version, then the others from the newest to the oldest; those that cannot be read passed over."""
        current = self._store.current()
        if current is None:
            return
        with contextlib.suppress(StoreError):
            yield self._store.open(current)
        for info in reversed(self._store.versions()):
            if info.version != current:
                with contextlib.suppress(StoreError):
                    yield self._store.open(info.version)


def _documents(trace: Trace) -> list[str]:
    return list(dict.fromkeys(chunk_id.rpartition("#")[0] for chunk_id in _chunks(trace)))


def _chunks(trace: Trace) -> Iterator[str]:
    yield from (chunk_id for chunk_id, _ in trace.hits)
    yield from (*trace.passages, *trace.cited)
    for step in trace.steps:
        yield from step.chunk_ids


def _without(trace: Trace, gone: Collection[str]) -> Trace:
    def left(chunk_ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(chunk_id for chunk_id in chunk_ids if chunk_id.rpartition("#")[0] not in gone)

    return replace(
        trace,
        answer=trace.answer if left(trace.passages) == trace.passages and left(trace.cited) == trace.cited else "",
        hits=tuple(hit for hit in trace.hits if left([hit[0]])),
        passages=left(trace.passages),
        cited=left(trace.cited),
        steps=(),  # a model chose what to search for after it had read what was found before
    )
