"""What a store keeps for its writer: the documents of the next version, notes of ingests, and caches by content."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ragcli.records import Chunk, Document, Entry, FileReport, FileState, Given, Look, Root

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Notes(Protocol):
    """What an ingest remembers besides files and documents: flags given for a folder, and what each text looks like."""

    def given(self, root_id: int) -> list[Given]:
        """What was given for a root, the shortest prefix first."""

    def put_given(self, root_id: int, given: Given) -> None:
        """Keep what was given for a prefix, in place of what was; nothing given is forgotten."""

    def hide_given(self, root_id: int, relative: str) -> None:
        """Keep what was given for one file under a hash of its name: it holds on, and the name is gone."""

    def put_look(self, look: Look) -> None:
        """Keep a document's look, in place of its former one."""

    def take_file(self, root_id: int, relative: str) -> list[Look]:
        """Forget and return the looks of one file's documents."""

    def of_file(self, root_id: int, relative: str) -> list[Look]:
        """The looks of one file's documents, sorted by id."""

    def look(self, doc_id: str) -> Look | None:
        """The look of one document, None when there is none of that id."""

    def all_looks(self) -> list[Look]:
        """Every look, sorted by id."""

    def unread(self) -> list[Look]:
        """Looks that must be taken anew: without a text's hash, or copies of a document that is gone; sorted by id."""

    def family(self, family: str) -> list[Look]:
        """The looks of one family, sorted by id."""

    def same_text(self, besides: Collection[str] = ()) -> dict[str, list[Look]]:
        """The looks of every text that several documents have, by its hash, and of the hashes ``besides``."""

    def copies(self, doc_id: str) -> tuple[str, ...]:
        """Ids of the copies that a document stands for, sorted."""

    def older_than(self, date: str) -> list[Look]:
        """Looks of documents last modified before an ISO date, sorted by id."""

    def forget(self, doc_id: str) -> None:
        """Drop a document's look."""


class Staging(Protocol):
    """What the next version is built from. Every write outside ``transaction`` is kept by itself."""

    @property
    def location(self) -> str:
        """Where it is, as printed."""

    @property
    def notes(self) -> Notes:
        """What ingests remember."""

    def transaction(self) -> AbstractContextManager[None]:
        """Everything in the block is kept, or nothing of it; may be nested."""

    def roots(self) -> list[Root]:
        """Every root, in the order in which they were added, where it is now."""

    def add_root(self, path: Path) -> Root:
        """The root at ``path`` (made absolute), added when it is new."""

    def move_root(self, root_id: int, path: Path) -> None:
        """Keep where a root is from now on."""

    def keep_places(self) -> None:
        """Keep where every root is now, so that it is found again when the project moves."""

    def remove_root(self, root_id: int) -> None:
        """Forget a root with its files, documents and notes."""

    def file(self, root_id: int, relative: str) -> FileState | None:
        """The file as last read, or None when it is new."""

    def files(self, root_id: int) -> Iterator[FileState]:
        """Every file of a root, ordered by path."""

    def put_file(self, state: FileState) -> None:
        """Keep what was read of a file, in place of what was kept before."""

    def remove_file(self, root_id: int, relative: str) -> None:
        """Forget that the file was read. Its documents stay until ``remove_document``."""

    def put_document(self, document: Document, *, root_id: int, relative: str) -> str:
        """Keep a document under its ``doc_id``; returns its document key, a hash of the whole record."""

    def remove_document(self, doc_id: str) -> None:
        """Drop a document, its chunks and its look; nothing happens when there is none of that id."""

    def document_keys(self) -> Mapping[str, str]:
        """``doc_id`` → document key of every document, sorted by id."""

    def document_files(self) -> Mapping[str, str]:
        """The path, within its root, of the file that each document came out of."""

    def document(self, doc_id: str) -> Document:
        """The document. Raises KeyError when there is none of that id."""

    def owner(self, doc_id: str) -> tuple[int, str] | None:
        """Root id and relative path of the file that gave the document, or None when there is no such document."""

    def put_chunks(self, doc_id: str, document_key: str, chunk_key: str, chunks: Sequence[Chunk]) -> None:
        """Keep the chunks of one document, in place of its former ones.

        Raises ValueError when their ids are not ``doc_id#1`` … ``doc_id#n`` in order.
        """

    def chunk_keys(self) -> Mapping[str, tuple[str, str]]:
        """``doc_id`` → document key and chunk key of every document that has been chunked, sorted by id."""

    def chunks(self, doc_id: str) -> list[Chunk]:
        """The document's chunks, in order. Raises KeyError when it has not been chunked."""

    def entries(self) -> Mapping[str, Entry]:
        """Every document whose chunks are those of its present content, sorted by id."""

    def unchunked(self) -> list[str]:
        """Documents without chunks, or with chunks of an older content, sorted by id."""

    def scrub(self) -> None:
        """Leave nothing of removed documents where it could be read."""


class DocumentCache(Protocol):
    """Parsed files, before metadata rules."""

    def get(self, key: str) -> tuple[tuple[Document, ...], tuple[FileReport, ...]] | None:
        """What the file under ``key`` (content and parser) gave, or None when it has not been parsed."""

    def put(self, key: str, documents: Sequence[Document], reports: Sequence[FileReport] = ()) -> None:
        """Keep what a file gave."""

    def remove_files(self, unwanted: Callable[[Sequence[Document], Sequence[FileReport]], bool]) -> int:
        """Drop, beyond recovery, every file whose documents and reports are unwanted; how many there were."""

    def trim(self, days: int, today: date, used: Callable[[], Iterable[str]]) -> int:
        """Drop what has not been among the ``used`` keys for so many days; how many files there were."""


class VectorCache(Protocol):
    """Embedded texts."""

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """The vectors that are there, by key; missing keys are left out."""

    def put_many(self, keys: Sequence[bytes], rows: NDArray[np.float32]) -> None:
        """Keep one row per key; the whole batch is kept, or none of it, when this returns or fails."""

    def remove(self, keys: Sequence[bytes]) -> None:
        """Drop the vectors of the keys, beyond recovery."""

    def trim(self, days: int, today: date, used: Callable[[], Iterable[bytes]]) -> int:
        """Drop what has not been among the ``used`` keys for so many days; how many vectors there were."""


class ContextCache(Protocol):
    """Texts that a model wrote about chunks."""

    def get(self, key: str) -> str | None:
        """The text kept under ``key``, or None."""

    def put(self, key: str, text: str) -> None:
        """Keep a text; it is safe when this returns."""

    def remove_texts(self, texts: Collection[str]) -> int:
        """Drop, beyond recovery, the entries that hold one of the texts; how many there were."""


class Caches(Protocol):
    """What is reusable by content hash; never the only place of anything."""

    @property
    def documents(self) -> DocumentCache:
        """Parsed files."""

    @property
    def vectors(self) -> VectorCache:
        """Embedded texts."""

    @property
    def contexts(self) -> ContextCache:
        """Generated contexts."""
