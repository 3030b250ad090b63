"""Staging, notes and caches of the store in memory: dictionaries, with nothing kept between processes."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np

from ragcli.codec import encode
from ragcli.records import Chunk, Document, Entry, FileReport, FileState, Given, Look, Root, hidden_prefix


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(encode(value), sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()[:32]


class MemoryNotes:
    """``interfaces.Notes``."""

    def __init__(self) -> None:
        self.flags: dict[tuple[int, str], Given] = {}
        self.looks: dict[str, Look] = {}

    def given(self, root_id: int) -> list[Given]:
        found = [given for (owner, _), given in self.flags.items() if owner == root_id]
        return sorted(found, key=lambda given: (len(given.prefix), given.prefix))

    def put_given(self, root_id: int, given: Given) -> None:
        for prefix in (given.prefix, hidden_prefix(given.prefix)):
            self.flags.pop((root_id, prefix), None)
        if given.meta or given.acl:
            self.flags[(root_id, given.prefix)] = given

    def hide_given(self, root_id: int, relative: str) -> None:
        given = self.flags.pop((root_id, relative), None)
        if given is not None:
            hidden = hidden_prefix(relative)
            self.flags[(root_id, hidden)] = replace(given, prefix=hidden)

    def put_look(self, look: Look) -> None:
        self.looks[look.doc_id] = look

    def take_file(self, root_id: int, relative: str) -> list[Look]:
        found = self.of_file(root_id, relative)
        for look in found:
            del self.looks[look.doc_id]
        return found

    def of_file(self, root_id: int, relative: str) -> list[Look]:
        return self._where(lambda look: (look.root_id, look.relative) == (root_id, relative))

    def look(self, doc_id: str) -> Look | None:
        return self.looks.get(doc_id)

    def all_looks(self) -> list[Look]:
        return self._where(lambda look: True)

    def unread(self) -> list[Look]:
        standing = {look.doc_id for look in self.looks.values() if look.kept is None}
        return self._where(lambda look: not look.exact or (look.kept is not None and look.kept not in standing))

    def same_text(self, besides: Collection[str] = ()) -> dict[str, list[Look]]:
        found: dict[str, list[Look]] = {}
        for look in self.all_looks():
            found.setdefault(look.exact, []).append(look)
        return {exact: looks for exact, looks in found.items() if exact in besides or (exact and len(looks) > 1)}

    def family(self, family: str) -> list[Look]:
        return self._where(lambda look: look.family == family)

    def copies(self, doc_id: str) -> tuple[str, ...]:
        return tuple(look.doc_id for look in self._where(lambda look: look.kept == doc_id))

    def older_than(self, date: str) -> list[Look]:
        return self._where(lambda look: look.kept is None and look.modified is not None and look.modified < date)

    def forget(self, doc_id: str) -> None:
        self.looks.pop(doc_id, None)

    def _where(self, wanted: Callable[[Look], bool]) -> list[Look]:
        return [self.looks[doc_id] for doc_id in sorted(self.looks) if wanted(self.looks[doc_id])]


class MemoryStaging:
    """``interfaces.Staging``."""

    location = "memory"

    def __init__(self) -> None:
        self.notes = MemoryNotes()
        self._roots: dict[int, Root] = {}
        self._files: dict[tuple[int, str], FileState] = {}
        self._documents: dict[str, tuple[Document, str, int, str]] = {}
        self._chunks: dict[str, tuple[str, str, tuple[Chunk, ...]]] = {}

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        before = {name: copy.copy(value) for name, value in vars(self).items() if name.startswith("_")}
        flags, looks = dict(self.notes.flags), dict(self.notes.looks)
        try:
            yield
        except BaseException:
            vars(self).update(before)
            self.notes.flags, self.notes.looks = flags, looks
            raise

    def roots(self) -> list[Root]:
        return [self._roots[key] for key in sorted(self._roots)]

    def add_root(self, path: Path) -> Root:
        absolute = path.absolute()
        for root in self._roots.values():
            if root.path == absolute:
                return root
        taken, label, number = {root.label for root in self._roots.values()}, absolute.name or "root", 2
        while label in taken:
            label, number = f"{absolute.name}-{number}", number + 1
        root = Root(max(self._roots, default=0) + 1, absolute, label)
        self._roots[root.root_id] = root
        return root

    def move_root(self, root_id: int, path: Path) -> None:
        self._roots[root_id] = replace(self._roots[root_id], path=path.absolute())

    def keep_places(self) -> None:
        """Nothing in memory moves."""

    def remove_root(self, root_id: int) -> None:
        for doc_id in [name for name, (_, _, owner, _) in self._documents.items() if owner == root_id]:
            self.remove_document(doc_id)
        self._files = {key: state for key, state in self._files.items() if key[0] != root_id}
        self.notes.flags = {key: given for key, given in self.notes.flags.items() if key[0] != root_id}
        self.notes.looks = {key: look for key, look in self.notes.looks.items() if look.root_id != root_id}
        self._roots.pop(root_id, None)

    def file(self, root_id: int, relative: str) -> FileState | None:
        return self._files.get((root_id, relative))

    def files(self, root_id: int) -> Iterator[FileState]:
        return iter([self._files[key] for key in sorted(self._files) if key[0] == root_id])

    def put_file(self, state: FileState) -> None:
        self._files[(state.root_id, state.relative)] = state

    def remove_file(self, root_id: int, relative: str) -> None:
        self._files.pop((root_id, relative), None)

    def put_document(self, document: Document, *, root_id: int, relative: str) -> str:
        key = _hash(document)
        self._documents[document.doc_id] = (document, key, root_id, relative)
        return key

    def remove_document(self, doc_id: str) -> None:
        self._documents.pop(doc_id, None)
        self._chunks.pop(doc_id, None)
        self.notes.forget(doc_id)

    def document_keys(self) -> dict[str, str]:
        return {doc_id: self._documents[doc_id][1] for doc_id in sorted(self._documents)}

    def document_files(self) -> dict[str, str]:
        return {doc_id: relative for doc_id, (_, _, _, relative) in self._documents.items()}

    def document(self, doc_id: str) -> Document:
        return self._documents[doc_id][0]

    def owner(self, doc_id: str) -> tuple[int, str] | None:
        found = self._documents.get(doc_id)
        return None if found is None else (found[2], found[3])

    def put_chunks(self, doc_id: str, document_key: str, chunk_key: str, chunks: Sequence[Chunk]) -> None:
        for ordinal, chunk in enumerate(chunks, start=1):
            if (chunk.doc_id, chunk.ordinal, chunk.chunk_id) != (doc_id, ordinal, f"{doc_id}#{ordinal}"):
                raise ValueError(f"chunk {chunk.chunk_id!r} (ordinal {chunk.ordinal}) is not {doc_id}#{ordinal}")
        self._chunks[doc_id] = (document_key, chunk_key, tuple(chunks))

    def chunk_keys(self) -> dict[str, tuple[str, str]]:
        return {doc_id: self._chunks[doc_id][:2] for doc_id in sorted(self._chunks)}

    def chunks(self, doc_id: str) -> list[Chunk]:
        return list(self._chunks[doc_id][2])

    def entries(self) -> dict[str, Entry]:
        whole = [name for name, key in self.document_keys().items() if self._chunks.get(name, ("",))[0] == key]
        return {name: Entry(name, _hash(self._chunks[name]), len(self._chunks[name][2])) for name in whole}

    def unchunked(self) -> list[str]:
        return sorted(set(self._documents) - set(self.entries()))

    def scrub(self) -> None:
        """Nothing of what was removed is left anyway."""


class MemoryCache:
    """What the three caches of ``interfaces.Caches`` share: entries, and the day on which each was last in use."""

    def __init__(self) -> None:
        self.entries: dict[object, object] = {}
        self._days: dict[object, int] = {}

    def _keep(self, key: object, value: object) -> None:
        self.entries[key] = value
        self._days[key] = date.today().toordinal()

    def remove(self, keys: Sequence[object]) -> None:
        for key in keys:
            self.entries.pop(key, None)

    def _remove_where(self, unwanted: Callable[[object], bool]) -> int:
        doomed = [key for key, value in self.entries.items() if unwanted(value)]
        self.remove(doomed)
        return len(doomed)

    def trim(self, days: int, today: date, used: Callable[[], Iterable[object]]) -> int:
        old = {key for key in self.entries if self._days[key] < today.toordinal() - days}
        doomed = old - set(used()) if old else set()
        self._days |= dict.fromkeys(old - doomed, today.toordinal())
        self.remove(sorted(doomed, key=str))
        return len(doomed)


class MemoryDocuments(MemoryCache):
    """``interfaces.DocumentCache``."""

    def get(self, key: str) -> object:
        return self.entries.get(key)

    def put(self, key: str, documents: Sequence[Document], reports: Sequence[FileReport] = ()) -> None:
        self._keep(key, (tuple(documents), tuple(reports)))

    def remove_files(self, unwanted: Callable[[Sequence[Document], Sequence[FileReport]], bool]) -> int:
        return self._remove_where(lambda value: unwanted(*value))  # type: ignore[misc]


class MemoryVectors(MemoryCache):
    """``interfaces.VectorCache``."""

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, np.ndarray]:
        return {key: self.entries[key] for key in keys if key in self.entries}  # type: ignore[misc]

    def put_many(self, keys: Sequence[bytes], rows: np.ndarray) -> None:
        for key, row in zip(keys, rows, strict=True):
            self._keep(key, np.asarray(row, np.float32))


class MemoryContexts(MemoryCache):
    """``interfaces.ContextCache``."""

    def get(self, key: str) -> object:
        return self.entries.get(key)

    def put(self, key: str, text: str) -> None:
        self._keep(key, text)

    def remove_texts(self, texts: Collection[str]) -> int:
        return self._remove_where(lambda value: value in set(texts))


class MemoryCaches:
    """``interfaces.Caches``."""

    def __init__(self) -> None:
        self.documents, self.vectors, self.contexts = MemoryDocuments(), MemoryVectors(), MemoryContexts()
