"""One version of the index folder, held open for a reader's life: the ``Engine`` that ships with ragcli."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragcli.config import IndexConfig
from ragcli.errors import StoreError
from ragcli.index.compatibility import check_analyser, searched_under
from ragcli.index.lexical.bm25 import LexicalReader, part_name
from ragcli.index.manifest import Manifest, read_manifest
from ragcli.index.roots import roots_now
from ragcli.index.scopes import Current, Scopes, boosts_of, built_with, chunk_place, ranked, selected, terms_of, titled
from ragcli.index.segments.selection import Selection
from ragcli.index.segments.supersedes import NAME as SUPERSEDES
from ragcli.index.segments.supersedes import read_references
from ragcli.index.segments.view import LEXICAL as LEXICAL
from ragcli.index.segments.view import View
from ragcli.index.versions import Pin
from ragcli.records import Allowed, Chunk, DenseMethod, Document, EmbedderInfo, Ranking, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragcli.index.dense.vector_search import VectorSearch

_FEW_DOCUMENTS = 2_000
_MANY_DOCUMENTS = 50_000
"""Up to the first number, allowed documents are named in the BM25 query; up to the second, when dropping hits fails."""


class FolderEngine:
    """A version folder as an ``Engine``. Close it, or use it as a context manager."""

    def __init__(self, folder: Path, config: IndexConfig | None = None, current: Current | None = None) -> None:
        """Open and map every file of the version. Raises StoreError, or FileNotFoundError when it was just pruned.

        ``config`` holds the settings of search time (access default, boosts, ef); None takes those of the build.
        ``current`` is given where another version is current: what that closes is not seen in this one either.
        """
        self._pin = Pin(folder)
        self._folder = folder.absolute().parent.parent
        self.manifest: Manifest = read_manifest(folder)
        check_analyser(self.manifest.version, self.manifest.analyser)
        self._config = searched_under(config, built_with(self.manifest.config, self.manifest.version))
        self.view = View.of(folder, self.manifest)
        counts = [segment.document_count for segment in self.view.segments]
        self._scopes = Scopes(
            self.view.segments,
            self.view.living,
            read_references(folder / SUPERSEDES, counts),
            doc_ids=functools.partial(_doc_ids, self.view),  # not of self: a circle would keep the files open
            default_acl=self._config.default_acl,
            current=current,
        )
        self._lexical = LexicalReader(folder / LEXICAL)
        if self._lexical.count != self.manifest.chunks:
            raise _damaged(f"BM25 holds {self._lexical.count} chunks, the manifest says {self.manifest.chunks}", folder)

    def close(self) -> None:
        """Release the version."""
        self.view.close()
        self._pin.close()

    def __enter__(self) -> FolderEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def version(self) -> str:
        """``v000007``."""
        return self.manifest.version

    @property
    def fingerprint(self) -> str:
        """Hash of all documents and chunks of this version."""
        return self.manifest.fingerprint

    @property
    def roots(self) -> Mapping[str, str]:
        """Label and path of every file or folder that this version was ingested from, where it is now."""
        return roots_now(self.manifest, self._folder)

    @property
    def settings(self) -> Mapping[str, Mapping[str, Any]]:
        """The settings that this version was built under."""
        return self.manifest.config

    @property
    def embedder(self) -> EmbedderInfo:
        """The model that made the vectors of this version."""
        return self.manifest.embedder

    @property
    def notices(self) -> tuple[str, ...]:
        """What a user should know about how this version is served."""
        return tuple(self._vectors.notices) if "_vectors" in self.__dict__ else ()

    # ------------------------------------------------------------ search

    @functools.cached_property
    def _vectors(self) -> VectorSearch:
        from ragcli.index.dense.vector_search import VectorSearch

        return VectorSearch(self.view, self.manifest, self._config)

    def allowed(self, scope: Scope) -> Allowed:
        """The chunks a scope may see; kept for the next question of the same scope."""
        return self._scopes.allowed(scope)

    def lexical(self, query: str, depth: int, allowed: Allowed) -> Ranking:
        """BM25 over the allowed chunks: ``min(depth, matching)`` hits. Any string at all is a valid query."""
        selection = selected(allowed)
        terms = terms_of(query, selection, self.manifest.languages, self._config)
        if not selection.count or not terms:
            return Ranking("bm25", ())
        documents = selection.document_count()
        nameable = not selection.unrestricted and documents <= _MANY_DOCUMENTS
        hits = self._lexical.search(
            terms,
            boosts_of(self._config),
            depth,
            parts=None if selection.access is None else {part_name(access) for access in selection.access},
            share=selection.count / max(1, self._lexical.count),
            keep=None if selection.unrestricted else functools.partial(self._keep, selection),
            only=selection.document_numbers if nameable else None,
            few=documents <= _FEW_DOCUMENTS,
        )
        return self._ranking("bm25", hits)

    def _keep(self, selection: Selection, numbers: list[int]) -> list[bool]:
        import numpy as np

        flags = np.zeros(len(numbers), dtype=bool)
        for segment, places, rows in self.view.split(np.asarray(numbers, dtype=np.int64)):
            mask = selection.documents(segment)
            flags[places] = True if mask is None else mask[self.view.segments[segment].owners(rows)]
        return [bool(flag) for flag in flags]

    def dense(
        self, vector: NDArray[np.float32], depth: int, allowed: Allowed, method: str = "auto"
    ) -> tuple[Ranking, DenseMethod]:
        """Cosine over the allowed chunks: ``min(depth, allowed.count)`` hits, and how they were found.

        Raises ConfigError for a vector of another dimension or an unknown method.
        """
        hits, used = self._vectors.search(vector, depth, selected(allowed), method)
        return self._ranking("dense", hits), used

    def _ranking(self, retriever: str, hits: Sequence[tuple[int, float]]) -> Ranking:
        import numpy as np

        names = [""] * len(hits)
        if hits:
            for segment, places, rows in self.view.split(np.asarray([number for number, _ in hits], dtype=np.int64)):
                source = self.view.segments[segment]
                owners = source.owners(rows)
                ordinals = (rows - source.offsets[owners] + 1).tolist()
                ids = source.doc_ids(owners.tolist())
                for place, owner, ordinal in zip(places.tolist(), owners.tolist(), ordinals, strict=True):
                    names[place] = f"{ids[owner]}#{ordinal}"
        return ranked(retriever, zip(names, (score for _, score in hits), strict=True))

    # ------------------------------------------------------------ records

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """The chunks, in the order asked for. Raises KeyError for an id that is not in this version."""
        found = []
        for chunk_id in chunk_ids:
            segment, row = self._chunk_place(chunk_id)
            chunk = self.view.segments[segment].chunk(row)
            if (chunk.chunk_id, chunk.doc_id) != (chunk_id, chunk_id.rpartition("#")[0]):
                raise _damaged(f"the record of chunk {chunk_id!r} is that of {chunk.chunk_id[:80]!r}", self.view.folder)
            found.append(chunk)
        return found

    def vectors(self, chunk_ids: Sequence[str]) -> NDArray[np.float32]:
        """Stored vectors of the chunks, a row each. Raises KeyError."""
        import numpy as np

        result = np.empty((len(chunk_ids), self.embedder.dimension), dtype=np.float32)
        for place, chunk_id in enumerate(chunk_ids):
            segment, row = self._chunk_place(chunk_id)
            result[place] = self.view.segments[segment].embeddings[row]
        return result

    def _chunk_place(self, chunk_id: str) -> tuple[int, int]:
        doc_id, ordinal = chunk_place(chunk_id)
        try:
            segment, row = self.view.place(doc_id)
        except KeyError:
            raise KeyError(chunk_id) from None
        rows = self.view.segments[segment].chunk_rows(row)
        if not 1 <= ordinal <= len(rows):
            raise KeyError(chunk_id)
        return segment, rows[ordinal - 1]

    def document(self, doc_id: str) -> Document:
        """The document with its text. Raises KeyError when it is not in this version."""
        segment, row = self.view.place(doc_id)
        return self.view.segments[segment].document(row)

    def headers(self, doc_ids: Sequence[str]) -> list[Document]:
        """The documents without text, blocks and sections. Raises KeyError for an unknown id."""
        places = [self.view.place(doc_id) for doc_id in doc_ids]
        return [self.view.segments[segment].head(row) for segment, row in places]

    def document_chunks(self, doc_id: str) -> list[Chunk]:
        """The document's chunks, in order. Raises KeyError."""
        segment, row = self.view.place(doc_id)
        return self.view.segments[segment].chunks(row)

    def titled(self, titles: Sequence[str], allowed: Allowed) -> list[str]:
        """The allowed documents that have one of the titles, letter for letter, sorted."""
        return titled(titles, selected(allowed), _doc_ids(self.view))

    def doc_ids(self, allowed: Allowed | None = None) -> list[str]:
        """Every document (or every allowed one), sorted."""
        found = []
        for number, segment in enumerate(self.view.segments):
            mask = self.view.living[number] if allowed is None else selected(allowed).documents(number)
            found += [doc_id for row, doc_id, _ in segment.entries() if mask is None or mask[row]]
        return sorted(found)


def _doc_ids(view: View) -> list[list[str]]:
    """The documents of each segment, dead ones among them."""
    return [[doc_id for _, doc_id, _ in segment.entries()] for segment in view.segments]


def _damaged(what: str, folder: Path) -> StoreError:
    return StoreError(f"{folder}: {what}", hint="rag versions verify; rag index --rebuild")
