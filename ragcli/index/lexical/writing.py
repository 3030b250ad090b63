"""Writes a BM25 index: see ``bm25`` for what is in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tantivy

from ragcli.index.lexical.bm25 import APART, LOCKS, PARTS, schema, told
from ragcli.index.lexical.index_files import PUBLIC, SHARED, check_index_files, part_folder, part_names

_HEAP_BYTES = 128_000_000
_SMALL_HEAP_BYTES = 15_000_000
_SMALL_BATCH = 2_000
_DELETE_BATCH = 1_000
_PRIVATE = ("meta.json", ".managed.json")


@dataclass(frozen=True, slots=True)
class LexicalChunk:
    """One chunk as BM25 sees it: its number, that of its document's first chunk, and each field's terms.

    ``part`` is the name of the part that its access belongs to.
    """

    number: int
    document: int
    text: str
    title: str
    headings: str
    nearby: str = ""
    part: str = PUBLIC


class LexicalWriter:
    """Changes an index folder that nobody else has open; segment files already there are never written to."""

    def __init__(self, folder: Path, expected_changes: int) -> None:
        """Raises StoreError when the index that is there cannot be written to."""
        folder.mkdir(parents=True, exist_ok=True)
        if not any(path.name not in LOCKS for path in folder.iterdir()):
            (folder / APART).touch()
        self.folder = folder
        self._small = expected_changes < _SMALL_BATCH
        self._there = set(part_names(folder))
        self._open: dict[str, _PartWriter] = {}
        self._part(PUBLIC)

    def add(self, chunk: LexicalChunk) -> None:
        """Index one chunk."""
        self._part(chunk.part).add(chunk)

    def delete(self, numbers: Sequence[int]) -> None:
        """Remove the chunks of those numbers."""
        for name in sorted(self._there) if numbers else ():
            if name in self._open or _holds(part_folder(self.folder, name), numbers):
                self._part(name).delete(numbers)

    def finish(self) -> None:
        """Commit and wait for merges; the folder may be sealed afterwards. Raises StoreError (a full disk)."""
        for name in sorted(self._open):
            self._open[name].finish()

    def _part(self, name: str) -> _PartWriter:
        if name not in self._there and len(self._there) > PARTS:
            name = SHARED
        if name not in self._open:
            self._there.add(name)
            heap = _SMALL_HEAP_BYTES if self._small or name != PUBLIC else _HEAP_BYTES
            self._open[name] = _PartWriter(part_folder(self.folder, name), heap)
        return self._open[name]


class _PartWriter:
    """Changes one tantivy index."""

    def __init__(self, folder: Path, heap: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name in LOCKS:
            (folder / name).unlink(missing_ok=True)
        if any(path.name != APART for path in folder.iterdir()):
            check_index_files(folder)
        self._schema = schema()
        with told(folder, "written"):
            self._index = tantivy.Index(self._schema, path=str(folder))
            self._writer = self._index.writer(heap, 1)
        self._folder = folder

    def add(self, chunk: LexicalChunk) -> None:
        document = tantivy.Document()
        document.add_unsigned("number", chunk.number)
        document.add_unsigned("document", chunk.document)
        document.add_text("text", chunk.text)
        document.add_text("title", chunk.title)
        document.add_text("headings", chunk.headings)
        document.add_text("nearby", chunk.nearby)
        with told(self._folder, "written"):
            self._writer.add_document(document)

    def delete(self, numbers: Sequence[int]) -> None:
        # By query: tantivy's deletion by term takes a number for a signed one and then finds nothing.
        for query in _named(self._schema, numbers):
            with told(self._folder, "written"):
                self._writer.delete_documents_by_query(query)

    def finish(self) -> None:
        with told(self._folder, "written"):
            self._writer.commit()
            self._writer.garbage_collect_files()
            self._writer.wait_merging_threads()
        for name in LOCKS:
            (self._folder / name).unlink(missing_ok=True)
        _open_to_readers(self._folder)


def _holds(folder: Path, numbers: Sequence[int]) -> bool:
    """Whether a part holds one of these chunks: a part that does not need not be opened for writing."""
    check_index_files(folder)
    with told(folder, "searched"):
        index = tantivy.Index.open(str(folder))
        searcher = index.searcher()
        return any(searcher.search(query, 1, count=True).count for query in _named(index.schema, numbers))


def _named(of: tantivy.Schema, numbers: Sequence[int]) -> list[Any]:
    batches = [list(numbers[start : start + _DELETE_BATCH]) for start in range(0, len(numbers), _DELETE_BATCH)]
    return [tantivy.Query.term_set_query(of, "number", batch) for batch in batches]


def _open_to_readers(folder: Path) -> None:
    """Let everyone read who may read a new file here: tantivy keeps two of its files for their owner alone."""
    probe = folder / ".mode"
    probe.touch()
    mode = probe.stat().st_mode & 0o777
    probe.unlink()
    for name in _PRIVATE:
        if (folder / name).exists():
            (folder / name).chmod(mode)
