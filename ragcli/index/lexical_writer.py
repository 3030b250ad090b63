"""Writes a BM25 index: see ``lexical`` for what is in one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tantivy

from ragcli.errors import StoreError
from ragcli.index.lexical import LOCKS, schema, told

_HEAP_BYTES = 128_000_000
_SMALL_HEAP_BYTES = 15_000_000
_SMALL_BATCH = 2_000
_DELETE_BATCH = 1_000
_PRIVATE = ("meta.json", ".managed.json")


@dataclass(frozen=True, slots=True)
class LexicalChunk:
    """One chunk as BM25 sees it: its number, that of its document's first chunk, and each field's terms."""

    number: int
    document: int
    text: str
    title: str
    headings: str
    nearby: str = ""


class LexicalWriter:
    """Changes an index folder that nobody else has open; segment files already there are never written to."""

    def __init__(self, folder: Path, expected_changes: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name in LOCKS:
            (folder / name).unlink(missing_ok=True)
        heap = _SMALL_HEAP_BYTES if expected_changes < _SMALL_BATCH else _HEAP_BYTES
        self._schema = schema()
        with told(folder, "written"):
            self._index = tantivy.Index(self._schema, path=str(folder))
            self._writer = self._index.writer(heap, 1)
        self._folder = folder

    def add(self, chunk: LexicalChunk) -> None:
        """Index one chunk."""
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
        """Remove the chunks of those numbers."""
        # By query: tantivy's deletion by term takes a number for a signed one and then finds nothing.
        for start in range(0, len(numbers), _DELETE_BATCH):
            batch = list(numbers[start : start + _DELETE_BATCH])
            with told(self._folder, "written"):
                self._writer.delete_documents_by_query(tantivy.Query.term_set_query(self._schema, "number", batch))

    def finish(self) -> None:
        """Commit and wait for merges; the folder may be sealed afterwards. Raises StoreError (a full disk)."""
        with told(self._folder, "written"):
            self._writer.commit()
            self._writer.garbage_collect_files()
            self._writer.wait_merging_threads()
        for name in LOCKS:
            (self._folder / name).unlink(missing_ok=True)
        _open_to_readers(self._folder)


def has_deletions(folder: Path) -> bool:
    """Whether a sealed index still holds entries that were deleted from it."""
    try:
        segments = json.loads((folder / "meta.json").read_text(encoding="utf-8"))["segments"]
        return any(segment["deletes"] is not None for segment in segments)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{folder / 'meta.json'} cannot be read: {error}", hint="rag index --rebuild") from error


def _open_to_readers(folder: Path) -> None:
    """Let everyone read who may read a new file here: tantivy keeps two of its files for their owner alone."""
    probe = folder / ".mode"
    probe.touch()
    mode = probe.stat().st_mode & 0o777
    probe.unlink()
    for name in _PRIVATE:
        if (folder / name).exists():
            (folder / name).chmod(mode)
