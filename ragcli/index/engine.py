"""One version of the index folder, held open for a reader's life: the ``Engine`` that ships with ragcli."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragcli.codec import decode
from ragcli.config import IndexConfig
from ragcli.errors import ConfigError, StoreError
from ragcli.index.compatibility import check_analyser, searched_under
from ragcli.index.lexical.bm25 import LexicalReader, part_name
from ragcli.index.lexical.questions import question_terms
from ragcli.index.manifest import Manifest, read_manifest
from ragcli.index.roots import roots_now
from ragcli.index.segments.selection import Selection, select
from ragcli.index.segments.supersedes import NAME as SUPERSEDES
from ragcli.index.segments.supersedes import read_references
from ragcli.index.segments.view import LEXICAL as LEXICAL
from ragcli.index.segments.view import View
from ragcli.index.versions import Pin
from ragcli.records import Allowed, Chunk, DenseMethod, Document, EmbedderInfo, Hit, Ranking, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragcli.index.dense.vector_search import VectorSearch

_SCOPES_KEPT = 64
_FEW_DOCUMENTS = 2_000
_MANY_DOCUMENTS = 50_000
_LONGEST_ORDINAL = 12
"""Up to the first number, allowed documents are named in the BM25 query; up to the second, when dropping hits fails."""


class FolderEngine:
    """A version folder as an ``Engine``. Close it, or use it as a context manager."""

    def __init__(
        self,
        folder: Path,
        config: IndexConfig | None = None,
        current: Callable[[], FolderEngine] | None = None,
    ) -> None:
        """Open and map every file of the version. Raises StoreError, or FileNotFoundError when it was just pruned.

        ``config`` holds the settings of search time (access default, boosts, ef); None takes those of the build.
        ``current`` opens the current version where this is another: what is closed by now is not seen in it either.
        """
        self._current = current
        self._pin = Pin(folder)
        self._folder = folder.absolute().parent.parent
        self.manifest: Manifest = read_manifest(folder)
        check_analyser(self.manifest)
        self._config = searched_under(config, _built_with(self.manifest))
        self.view = View.of(folder, self.manifest)
        counts = [segment.document_count for segment in self.view.segments]
        self._references = read_references(folder / SUPERSEDES, counts)
        self._lexical = LexicalReader(folder / LEXICAL)
        if self._lexical.count != self.manifest.chunks:
            raise _damaged(f"BM25 holds {self._lexical.count} chunks, the manifest says {self.manifest.chunks}", folder)
        self._allowed: dict[tuple[Scope, str], Allowed] = {}

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
        today = date.today().isoformat()
        if scope.as_of is not None:
            _check_date(scope.as_of)
        known = self._allowed.get((scope, today))
        if known is None:
            view = self.view
            selection = select(
                view.segments,
                view.living,
                self._references,
                scope,
                today=today,
                default_acl=self._config.default_acl,
                closed=self._closed_by_now(scope.groups),
            )
            known = Allowed(selection.count, selection.superseded_hidden, selection)
            if len(self._allowed) >= _SCOPES_KEPT:
                self._allowed.pop(next(iter(self._allowed)))
            self._allowed[(scope, today)] = known
        return known

    def _closed_by_now(self, groups: tuple[str, ...]) -> list[NDArray[np.bool_]] | None:
        """Of each segment the documents that the current version holds and does not show to the groups."""
        import numpy as np

        if self._current is None:
            return None
        with self._current() as current:
            shown = current.doc_ids(current.allowed(Scope(groups=groups, include_superseded=True)))
            closed = set(current.doc_ids()).difference(shown)
        if not closed:
            return None
        named = [segment.entries() for segment in self.view.segments]
        return [np.asarray([doc_id in closed for _, doc_id, _ in rows], dtype=bool) for rows in named]

    def lexical(self, query: str, depth: int, allowed: Allowed) -> Ranking:
        """BM25 over the allowed chunks: ``min(depth, matching)`` hits. Any string at all is a valid query."""
        selection = _selection(allowed)
        terms = self._terms(query, selection)
        if not selection.count or not terms:
            return Ranking("bm25", ())
        boosts = {
            "title": self._config.title_boost,
            "headings": self._config.heading_boost,
            "nearby": self._config.nearby_boost,
        }
        documents = selection.document_count()
        nameable = not selection.unrestricted and documents <= _MANY_DOCUMENTS
        hits = self._lexical.search(
            terms,
            boosts,
            depth,
            parts=None if selection.access is None else {part_name(access) for access in selection.access},
            share=selection.count / max(1, self._lexical.count),
            keep=None if selection.unrestricted else functools.partial(self._keep, selection),
            only=selection.document_numbers if nameable else None,
            few=documents <= _FEW_DOCUMENTS,
        )
        return self._ranking("bm25", hits)

    def _terms(self, query: str, selection: Selection) -> dict[str, int]:
        """The question's terms in the languages of what its asker may see; others would tell that there are more."""
        seen = selection.languages
        languages = self.manifest.languages if seen is None else sorted(seen | {"en"})
        return question_terms(query, languages, self._config.stop_words)

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
        hits, used = self._vectors.search(vector, depth, _selection(allowed), method)
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
        ordered = sorted(zip(names, (score for _, score in hits), strict=True), key=lambda hit: (-hit[1], hit[0]))
        return Ranking(retriever, tuple(Hit(name, score, rank) for rank, (name, score) in enumerate(ordered, start=1)))

    # ------------------------------------------------------------ records

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """The chunks, in the order asked for. Raises KeyError for an id that is not in this version."""
        found = []
        for chunk_id in chunk_ids:
            segment, row = self._chunk_place(chunk_id)
            chunk = self.view.segments[segment].chunk(row)
            if chunk.chunk_id != chunk_id:
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
        doc_id, _, ordinal = chunk_id.rpartition("#")
        if not ordinal.isascii() or not ordinal.isdigit() or len(ordinal) > _LONGEST_ORDINAL:
            raise KeyError(chunk_id)
        try:
            segment, row = self.view.place(doc_id)
        except KeyError:
            raise KeyError(chunk_id) from None
        rows = self.view.segments[segment].chunk_rows(row)
        if not 1 <= int(ordinal) <= len(rows):
            raise KeyError(chunk_id)
        return segment, rows[int(ordinal) - 1]

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

    def doc_ids(self, allowed: Allowed | None = None) -> list[str]:
        """Every document (or every allowed one), sorted."""
        found = []
        for number, segment in enumerate(self.view.segments):
            mask = self.view.living[number] if allowed is None else _selection(allowed).documents(number)
            found += [doc_id for row, doc_id, _ in segment.entries() if mask is None or mask[row]]
        return sorted(found)


def _damaged(what: str, folder: Path) -> StoreError:
    return StoreError(f"{folder}: {what}", hint="rag versions verify; rag index --rebuild")


def _selection(allowed: Allowed) -> Selection:
    if not isinstance(allowed.token, Selection):
        raise TypeError("allowed was not made by this engine")
    return allowed.token


def _check_date(text: str) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"bad date {text!r} for as-of", hint="write YYYY-MM-DD") from None


def _built_with(manifest: Manifest) -> IndexConfig:
    """The index settings of the build, as far as this ragcli knows them."""
    stored = manifest.config.get("index", {})
    try:
        return decode(IndexConfig, stored)
    except TypeError as error:
        raise StoreError(
            f"{manifest.version} was built under settings that cannot be: {error}", hint="rag index --rebuild"
        ) from error
