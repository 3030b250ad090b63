"""A store in memory: brute force over dictionaries. It proves that the protocols of ``ragcli.interfaces`` are enough.

BM25 and cosine are computed for every chunk; rules of access, time and filters are written out per document.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np

from ragcli.codec import encode
from ragcli.config import Config, IndexConfig
from ragcli.errors import ConfigError, IndexLocked, NotFound, StoreError
from ragcli.filters import DATE_KEYS, META, TEXT_KEYS, condition, key_of
from ragcli.index.compatibility import check_embedder
from ragcli.records import (
    Allowed,
    Chunk,
    DenseMethod,
    Document,
    EmbedderInfo,
    Filter,
    Hit,
    PublishResult,
    Ranking,
    Scope,
    SessionInfo,
    Trace,
    Turn,
    Verdict,
    VersionDiff,
    VersionInfo,
)
from tests.engines.memory_staging import MemoryCaches, MemoryStaging

REPLACED = {"superseded", "replaced", "obsolete", "outdated"}
HIDDEN = REPLACED | {"draft", "withdrawn", "retired", "revoked", "expired"}
K1, B = 1.2, 0.75


@dataclasses.dataclass(frozen=True)
class Version:
    """What a publish made; nothing in it is ever changed."""

    name: str
    created: str
    embedder: EmbedderInfo
    settings: Mapping[str, Mapping[str, Any]]
    roots: Mapping[str, str]
    documents: Mapping[str, tuple[Document, tuple[Chunk, ...], np.ndarray]]

    @property
    def fingerprint(self) -> str:
        content = {name: (encode(doc), encode(list(chunks))) for name, (doc, chunks, _) in self.documents.items()}
        return str(hash(json.dumps(content, sort_keys=True)))

    @property
    def chunk_count(self) -> int:
        return sum(len(chunks) for _, chunks, _ in self.documents.values())


def values_of(document: Document) -> dict[str, list[str]]:
    """What each filter key finds the document by."""
    meta = document.metadata
    one = {
        "lang": meta.language,
        "type": meta.type,
        "status": meta.status,
        "date": meta.effective_date or _day(meta.extra.get("date", "")) or meta.modified,
        "effective_date": meta.effective_date,
        "modified": meta.modified,
        "expires": meta.expires,
        **{META + name: value for name, value in meta.extra.items()},
    }
    many = {"source": [document.source, *document.also_in], "doc_id": [document.doc_id], "title": [document.title]}
    return {**{key: [value] for key, value in one.items() if value}, **many, "tag": list(meta.tags)}


def _day(text: str) -> str | None:
    if text[10:11] not in ("", "T", " "):
        return None
    try:
        return date.fromisoformat(text[:10]).isoformat()
    except ValueError:
        return None


def meant(reference: str, names: Collection[str], source: str) -> str | None:
    """The document that a ``supersedes`` names: by id or path suffix, with or without its ending, if it is one."""
    wanted = reference.removeprefix("./").strip("/")
    bare = {name: name.rpartition(".")[0] if "." in name.rpartition("/")[2] else name for name in names}
    tiers = (
        [name for name in names if name == wanted],
        [name for name in names if name.endswith(f"/{wanted}")],
        [name for name in names if bare[name] == wanted],
        [name for name in names if bare[name].endswith(f"/{wanted}")],
    )
    found = next((tier for tier in tiers if tier), []) if wanted else []
    return found[0] if len(found) == 1 and found[0] != source else None


def words(text: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in text.casefold()).split()


class MemoryEngine:
    """``interfaces.Engine`` over one version."""

    notices: tuple[str, ...] = ()

    def __init__(
        self,
        version: Version,
        config: IndexConfig,
        current: Callable[[], Mapping[str, Document]] | None,
        closed: Callable[[], None],
    ) -> None:
        """``current`` gives the documents of the current version where this is another."""
        self._version, self._config, self._current, self._closed = version, config, current, closed
        pairs = (zip(chunks, rows, strict=True) for _, chunks, rows in version.documents.values())
        self._chunks = {chunk.chunk_id: (chunk, row) for own in pairs for chunk, row in own}

    version = property(lambda self: self._version.name)
    fingerprint = property(lambda self: self._version.fingerprint)
    roots = property(lambda self: self._version.roots)
    settings = property(lambda self: self._version.settings)
    embedder = property(lambda self: self._version.embedder)

    def close(self) -> None:
        self._closed()

    # ------------------------------------------------------------ who may see what

    def allowed(self, scope: Scope) -> Allowed:
        documents = {name: doc for name, (doc, _, _) in self._version.documents.items() if self._is_open(doc, scope)}
        filters = [self._matcher(item, documents.values()) for item in scope.filters]
        shown = {name for name, doc in documents.items() if all(matches(doc) for matches in filters)}
        stale = set() if scope.include_superseded else self._stale(documents, self._day(scope))
        ids = frozenset(shown - stale)
        count = sum(len(self._version.documents[name][1]) for name in ids)
        return Allowed(count, len(shown & stale), ids)

    def _day(self, scope: Scope) -> str:
        try:
            return date.fromisoformat(scope.as_of or date.today().isoformat()).isoformat()
        except ValueError:
            raise ConfigError(f"bad date {scope.as_of!r} for as-of", hint="write YYYY-MM-DD") from None

    def _is_open(self, document: Document, scope: Scope) -> bool:
        now = self._current().get(document.doc_id, document) if self._current is not None else document
        opening = [item.metadata.acl or self._config.default_acl for item in (document, now)]
        return all(not groups or set(groups) & set(scope.groups) for groups in opening)

    def _matcher(self, item: Filter, seen: Collection[Document]) -> Callable[[Document], bool]:
        key = key_of(item.key)
        known = {name for document in seen for name in values_of(document) if name.startswith(META)}
        if key not in (*TEXT_KEYS, *DATE_KEYS, *known):
            names = ", ".join((*TEXT_KEYS, *DATE_KEYS, *sorted(known)))
            raise ConfigError(f"unknown filter key {item.key!r} in {str(item)!r}", hint=f"known keys: {names}")
        asked = condition(item)

        def matches(document: Document) -> bool:
            return any(map(asked.allows, values_of(document).get(key, []))) != asked.excludes

        return matches

    def _stale(self, visible: Mapping[str, Document], day: str) -> set[str]:
        found = set()
        replaced, standing = self._replaced(visible, day)
        for name, document in visible.items():
            meta, status = document.metadata, (document.metadata.status or "").strip().casefold()
            hidden = status in HIDDEN and not (name in standing and status in REPLACED)
            late, early = (meta.expires or "9999") < day, (meta.effective_date or "") > day
            if hidden or late or early or name in replaced:
                found.add(name)
        return found

    def _replaced(self, visible: Mapping[str, Document], day: str) -> tuple[set[str], set[str]]:
        dates = {name: document.metadata.effective_date for name, document in visible.items()}
        pairs = {
            (name, target)
            for name, document in visible.items()
            for reference in document.metadata.supersedes
            if (target := meant(reference, visible, name)) is not None
        }
        replaced, standing = set(), set()
        for name, target in pairs:
            if (target, name) in pairs and (dates[name] or "") <= (dates[target] or ""):
                continue  # of two that name each other the later counts, and neither when no date tells
            (replaced if (dates[name] or "") <= day else standing).add(target)
        return replaced, standing

    # ------------------------------------------------------------ search

    def lexical(self, query: str, depth: int, allowed: Allowed) -> Ranking:
        texts = {key: words(chunk.indexed_text) for key, (chunk, _) in self._chunks.items() if self._in(key, allowed)}
        mean = sum(map(len, texts.values())) / max(1, len(texts))
        scores: dict[str, float] = {}
        for word in set(words(query)):
            holding = {key: text.count(word) for key, text in texts.items() if word in text}
            weight = math.log(1 + (len(texts) - len(holding) + 0.5) / (len(holding) + 0.5))
            for key, count in holding.items():
                length = K1 * (1 - B + B * len(texts[key]) / mean)
                scores[key] = scores.get(key, 0.0) + weight * count * (K1 + 1) / (count + length)
        return _ranking("bm25", scores, depth)

    def dense(
        self, vector: np.ndarray, depth: int, allowed: Allowed, method: str = "auto"
    ) -> tuple[Ranking, DenseMethod]:
        if len(vector) != self.embedder.dimension:
            raise ConfigError(f"a vector of {len(vector)} dimensions, the index has {self.embedder.dimension}")
        if method not in ("auto", "exact", "hnsw"):
            raise ConfigError(f"unknown dense method {method!r}")
        scores = {key: float(row @ vector) for key, (_, row) in self._chunks.items() if self._in(key, allowed)}
        return _ranking("dense", scores, depth), "exact"

    def _in(self, chunk_id: str, allowed: Allowed) -> bool:
        return chunk_id.rpartition("#")[0] in allowed.token  # type: ignore[operator]

    # ------------------------------------------------------------ records

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        return [self._chunks[key][0] for key in chunk_ids]

    def vectors(self, chunk_ids: Sequence[str]) -> np.ndarray:
        return np.stack([self._chunks[key][1] for key in chunk_ids])

    def document(self, doc_id: str) -> Document:
        return self._version.documents[doc_id][0]

    def headers(self, doc_ids: Sequence[str]) -> list[Document]:
        return [dataclasses.replace(self.document(name), text="", blocks=(), sections=()) for name in doc_ids]

    def document_chunks(self, doc_id: str) -> list[Chunk]:
        return list(self._version.documents[doc_id][1])

    def titled(self, titles: Sequence[str], allowed: Allowed) -> list[str]:
        return sorted(name for name in self.doc_ids(allowed) if self._version.documents[name][0].title in titles)

    def doc_ids(self, allowed: Allowed | None = None) -> list[str]:
        return sorted(self._version.documents if allowed is None else allowed.token)  # type: ignore[call-overload]


def _ranking(name: str, scores: Mapping[str, float], depth: int) -> Ranking:
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:depth]
    return Ranking(name, tuple(Hit(key, score, rank) for rank, (key, score) in enumerate(ordered, start=1)))


class MemoryWriter:
    """``interfaces.StoreWriter``."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self.staging, self.caches = store.staging, store.caches

    def published_roots(self) -> Mapping[str, str]:
        current = self._store.current()
        return self._store.kept[current].roots if current else {}

    def publish(
        self,
        *,
        embedder: EmbedderInfo,
        vectors: Callable[[list[Chunk]], np.ndarray],
        config: Config,
        rebuild: bool = False,
        progress: object = None,
    ) -> PublishResult:
        if waiting := self.staging.unchunked():
            raise StoreError(
                f"{len(waiting)} documents have no chunks yet, the first is {waiting[0]}", hint="rag chunk"
            )
        documents = {}
        for name in self.staging.entries():
            chunks = self.staging.chunks(name)
            rows = vectors(chunks) if chunks else np.zeros((0, embedder.dimension), np.float32)
            documents[name] = (self.staging.document(name), tuple(chunks), np.asarray(rows, np.float32))
        before = self._store.kept.get(self._store.current() or "")
        old = before.documents if before else {}
        changed = [name for name in documents if name in old and documents[name][:2] != old[name][:2]]
        added, removed = len(documents.keys() - old.keys()), len(old.keys() - documents.keys())
        count = sum(len(chunks) for _, chunks, _ in documents.values())
        recall = 1.0 if count else None
        if before and not rebuild and before.embedder == embedder and not (added or removed or changed):
            return PublishResult(None, len(documents), count, 0, 0, 0, 0, recall, {})
        roots = {root.label: str(root.path) for root in self.staging.roots()}
        created = datetime.now(UTC).isoformat(timespec="seconds")
        name = f"v{max([int(n[1:]) for n in self._store.kept], default=0) + 1:06d}"
        self._store.kept[name] = Version(name, created, embedder, config.to_mapping(), roots, documents)
        self._store.pointer = name
        self._store.drop_old(config.index.keep_versions)
        return PublishResult(name, len(documents), count, added, len(changed), removed, count, recall, {})

    def published(self, wanted: Callable[[str, str], bool]) -> Iterator[tuple[EmbedderInfo, Document, list[Chunk]]]:
        for version in list(self._store.kept.values()):
            for name, (document, chunks, _) in version.documents.items():
                if wanted(name, document.source):
                    yield version.embedder, document, list(chunks)

    def erase(self, wanted: Callable[[str, str], bool], config: IndexConfig, roots: Collection[str] = ()) -> list[str]:
        changed = []
        for name, version in self._store.kept.items():
            kept = {
                key: (dataclasses.replace(doc, also_in=tuple(n for n in doc.also_in if not wanted(n, n))), chunks, rows)
                for key, (doc, chunks, rows) in version.documents.items()
                if not wanted(key, doc.source)
            }
            left = {label: path for label, path in version.roots.items() if label not in roots}
            erased = dataclasses.replace(version, documents=kept, roots=left)
            if (erased.fingerprint, left) != (version.fingerprint, version.roots):
                self._store.kept[name] = erased
                changed.append(name)
        return changed

    def sweep(self, texts: Collection[str], besides: Collection[str] = ()) -> tuple[int, list[str]]:
        texts = [text for text in texts if not any(text in other for other in besides)]
        places = {
            **{f"version {name}": version.documents for name, version in self._store.kept.items()},
            "staging": vars(self.staging),
            "caches": [vars(self.caches.documents), vars(self.caches.contexts)],
            "traces": self._store.traces.kept,
            "sessions": self._store.sessions.kept,
        }
        return len(places), [name for name, held in places.items() if any(text in repr(held) for text in texts if text)]


class MemoryStore:
    """``interfaces.Store``."""

    location = "memory"

    def __init__(self, config: IndexConfig | None = None) -> None:
        self.config = config
        self.kept: dict[str, Version] = {}
        self.pointer: str | None = None
        self.staging, self.caches = MemoryStaging(), MemoryCaches()
        self.traces, self.sessions = MemoryTraces(), MemorySessions()
        self._notes: dict[str, str] = {}
        self._open: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def exists(self) -> bool:
        return bool(self.kept or self.staging.roots())

    def current(self) -> str | None:
        return self.pointer

    def open(self, version: str | None = None, embedder: EmbedderInfo | None = None) -> MemoryEngine:
        found = self._find(version) if version else self._newest()
        if embedder is not None:
            check_embedder(found.embedder, embedder)
        self._open[found.name] += 1
        config = self.config or IndexConfig(default_acl=tuple(found.settings["index"]["default_acl"]))
        current = self._current_documents if version not in (None, self.pointer) else None
        return MemoryEngine(found, config, current, lambda: self._open.subtract([found.name]))

    def _newest(self) -> Version:
        """The current version; the pointer is read again where what it named was pruned in between."""
        while True:
            name = self.pointer
            try:
                return self._find(name)
            except StoreError:
                if name == self.pointer:
                    raise

    def _current_documents(self) -> Mapping[str, Document]:
        return {name: document for name, (document, _, _) in self._find(self.pointer).documents.items()}

    def _find(self, name: str | None) -> Version:
        if name is None:
            raise StoreError("no index in memory", hint="rag ingest PATH makes one", category="index_missing")
        if not (name.startswith("v") and name[1:].isdigit()):
            raise ConfigError(f"{name!r} is no version name such as v000007")
        if name not in self.kept:
            raise StoreError(f"version {name} is not in memory", category="index_missing")
        return self.kept[name]

    def versions(self) -> list[VersionInfo]:
        return [
            VersionInfo(n, v.created, len(v.documents), v.chunk_count, n == self.pointer, 0, v.embedder.model, 1.0)
            for n, v in sorted(self.kept.items())
        ]

    def use(self, version: str, wait_seconds: float = 0) -> None:
        with self.writer(wait_seconds):
            self.pointer = self._find(version).name

    def prune(self, keep: int, wait_seconds: float = 0) -> list[str]:
        with self.writer(wait_seconds):
            return self.drop_old(keep)

    def drop_old(self, keep: int) -> list[str]:
        names = sorted(self.kept)
        doomed = [n for n in names[: max(0, len(names) - keep)] if n != self.pointer and not self._open[n]]
        for name in doomed:
            del self.kept[name]
        return doomed

    def verify(self, version: str | None = None) -> list[str]:
        self._find(version or self.pointer)
        return []

    def diff(self, before: str, after: str, groups: tuple[str, ...] = ()) -> VersionDiff:
        scope = Scope(groups=groups, include_superseded=True)
        with contextlib.closing(self.open(before)) as old, contextlib.closing(self.open(after)) as new:
            was = {name: self._content(old, name) for name in old.doc_ids(old.allowed(scope))}
            now = {name: self._content(new, name) for name in new.doc_ids(new.allowed(scope))}
        changed = sorted(name for name in was.keys() & now.keys() if was[name] != now[name])
        added, removed = sorted(now.keys() - was.keys()), sorted(was.keys() - now.keys())
        gained = lost = 0
        for name in (*added, *removed, *changed):
            had, has = (Counter(side[name][1]) if name in side else Counter() for side in (was, now))
            gained, lost = gained + (has - had).total(), lost + (had - has).total()
        return VersionDiff(before, after, tuple(added), tuple(changed), tuple(removed), gained, lost)

    def _content(self, engine: MemoryEngine, name: str) -> tuple[Document, tuple[str, ...]]:
        return engine.document(name), tuple(chunk.indexed_text for chunk in engine.document_chunks(name))

    @contextlib.contextmanager
    def writer(self, wait_seconds: float = 0) -> Iterator[MemoryWriter]:
        if not self._lock.acquire(timeout=wait_seconds or -1 if wait_seconds else 0.01):
            raise IndexLocked("another thread writes", hint="--wait SECONDS")
        try:
            yield MemoryWriter(self)
        finally:
            self._lock.release()

    @contextlib.contextmanager
    def scratch(self) -> Iterator[MemoryStore]:
        trial = MemoryStore(self.config)
        trial.caches = self.caches
        yield trial

    def note(self, name: str) -> str:
        return self._notes.get(name, "")

    def put_note(self, name: str, text: str) -> None:
        self._notes[name] = text


class MemoryTraces:
    """``interfaces.TraceLog``."""

    def __init__(self) -> None:
        self.kept: list[Trace] = []

    def append(self, trace: Trace) -> None:
        self.kept.append(trace)

    def feedback(self, trace_id: str, verdict: Verdict) -> Trace:
        marked = dataclasses.replace(self.get(trace_id), feedback=verdict)
        self.kept = [marked if trace.trace_id == marked.trace_id else trace for trace in self.kept]
        return marked

    def get(self, trace_id: str) -> Trace:
        found = [trace for trace in self.kept if trace_id and trace.trace_id.startswith(trace_id)]
        exact = [trace for trace in found if trace.trace_id == trace_id] or found
        if len(exact) != 1:
            raise NotFound(f"no trace has the id {trace_id!r}")
        return exact[0]

    def __iter__(self) -> Iterator[Trace]:
        return iter(list(self.kept))

    def remove_old(self, keep_days: int, today: date) -> int:
        oldest = (today - timedelta(days=keep_days)).isoformat()
        return self._keep(lambda trace: trace.created[:10] >= oldest)

    def forget(self, doc_ids: Collection[str]) -> int:
        def touches(trace: Trace) -> bool:
            ids = [*(name for name, _ in trace.hits), *trace.passages, *trace.cited]
            ids += [name for step in trace.steps for name in step.chunk_ids]
            return any(name.rpartition("#")[0] in doc_ids for name in ids)

        return self._keep(lambda trace: not touches(trace))

    def _keep(self, wanted: Callable[[Trace], bool]) -> int:
        before, self.kept = len(self.kept), [trace for trace in self.kept if wanted(trace)]
        return before - len(self.kept)


class MemorySessions:
    """``interfaces.SessionLog``."""

    def __init__(self) -> None:
        self.kept: dict[str, list[Turn]] = {}

    def turns(self, name: str) -> list[Turn]:
        return list(self.kept.get(self._named(name), []))

    def append(self, name: str, turn: Turn) -> None:
        self.kept.setdefault(self._named(name), []).append(turn)

    def _named(self, name: str) -> str:
        if not name or "/" in name:
            raise ConfigError(f"a session cannot be named {name!r}")
        return name

    def list(self) -> Sequence[SessionInfo]:
        return [SessionInfo(name, len(turns), turns[-1].created) for name, turns in sorted(self.kept.items())]

    def drop(self, name: str, wanted: Callable[[Turn], bool]) -> None:
        turns = self.turns(name)
        left = [turn for turn in turns if not wanted(turn)]
        if len(left) == len(turns):
            raise NotFound(f"no session {name!r}")
        self.kept[name] = left
        if not left:
            del self.kept[name]

    def forget(self, doc_ids: Collection[str]) -> int:
        before = sum(map(len, self.kept.values()))
        for name, turns in self.kept.items():
            self.kept[name] = [turn for turn in turns if not set(turn.doc_ids) & set(doc_ids)]
        return before - sum(map(len, self.kept.values()))
