"""One version of an index in PostgreSQL, held for a reader's life: an ``Engine``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragcli.config import IndexConfig
from ragcli.errors import ConfigError, StoreError
from ragcli.index.compatibility import check_analyser, searched_under
from ragcli.index.postgres import search
from ragcli.index.postgres.contents import BODY
from ragcli.index.postgres.database import Database
from ragcli.index.postgres.records import document_of, record_of
from ragcli.index.postgres.rows import VersionRows
from ragcli.index.postgres.versions import Published
from ragcli.index.scopes import Current, Scopes, boosts_of, built_with, chunk_place, ranked, selected, terms_of, titled
from ragcli.index.segments.attributes import ACL
from ragcli.index.segments.selection import Selection
from ragcli.records import Allowed, Chunk, DenseMethod, Document, EmbedderInfo, Ranking, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_METHODS = ("auto", "exact", "hnsw")


class PostgresEngine:
    """A version, pinned by its connection. Close it, or use it as a context manager."""

    notices: tuple[str, ...] = ()

    def __init__(
        self,
        database: Database,
        published: Published,
        config: IndexConfig | None,
        current: Current | None,
    ) -> None:
        """``config`` holds the settings of search time; None takes those of the build.

        ``current`` is given where another version is current: what that closes is not seen in this one either.

        Raises StoreError for a version whose BM25 terms were made under other rules.
        """
        check_analyser(published.name, published.manifest.analyser)
        self._database = database
        self._published = published
        self._config = searched_under(config, built_with(published.manifest.config, published.name))
        self.rows = rows = VersionRows(database, published.number)
        self._scopes = Scopes(
            [rows],
            [None],
            rows.references,
            doc_ids=lambda: [rows.doc_ids],
            default_acl=self._config.default_acl,
            current=current,
        )
        self._lengths: dict[frozenset[str] | None, tuple[search.ContentSet, search.Lengths]] = {}

    def close(self) -> None:
        """Let go of the version."""
        self._database.close()

    def __enter__(self) -> PostgresEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def version(self) -> str:
        """``v000007``."""
        return self._published.name

    @property
    def fingerprint(self) -> str:
        """Hash of all documents and chunks of this version."""
        return self._published.fingerprint

    @property
    def roots(self) -> Mapping[str, str]:
        """Label and path of every file or folder that this version was ingested from."""
        return self._published.manifest.roots

    @property
    def settings(self) -> Mapping[str, Mapping[str, Any]]:
        """The settings that this version was built under."""
        return self._published.manifest.config

    @property
    def embedder(self) -> EmbedderInfo:
        """The model that made the vectors of this version."""
        return self._published.manifest.embedder

    # ------------------------------------------------------------ search

    def allowed(self, scope: Scope) -> Allowed:
        """The chunks a scope may see; kept for the next question of the same scope."""
        return self._scopes.allowed(scope)

    def lexical(self, query: str, depth: int, allowed: Allowed) -> Ranking:
        """BM25 over the allowed chunks: ``min(depth, matching)`` hits. Any string at all is a valid query."""
        selection = selected(allowed)
        terms = terms_of(query, selection, self._published.manifest.languages, self._config)
        if not selection.count or not terms or depth < 1:
            return Ranking("bm25", ())
        boosts = boosts_of(self._config)
        counted, known = self._counted(selection.access)
        group = self._group(selection)
        found = search.lexical(self._database, terms, boosts, depth, group=group, counted=counted, known=known)
        return self._ranking("bm25", found)

    def _counted(self, access: frozenset[str] | None) -> tuple[search.ContentSet, search.Lengths]:
        """All that an asker's groups open, whatever the filters, and what BM25 counts in it."""
        if access not in self._lengths:
            import numpy as np

            opened = None if access is None else np.flatnonzero(self.rows.marked(ACL, access))
            contents = None if opened is None else self.rows.contents[opened].tolist()
            group = search.ContentSet(self._published.number, contents)
            self._lengths[access] = group, search.lengths(self._database, group)
        return self._lengths[access]

    def _group(self, selection: Selection) -> search.ContentSet:
        mask = selection.documents(0)
        contents = None if mask is None else self.rows.contents[mask].tolist()
        return search.ContentSet(self._published.number, contents)

    def dense(
        self, vector: NDArray[np.float32], depth: int, allowed: Allowed, method: str = "auto"
    ) -> tuple[Ranking, DenseMethod]:
        """Cosine over the allowed chunks: ``min(depth, allowed.count)`` hits, and how they were found.

        Raises ConfigError for a vector of another dimension or an unknown method.
        """
        import numpy as np

        if len(vector) != self.embedder.dimension:
            raise ConfigError(
                f"the question has a vector of {len(vector)} dimensions, the index has {self.embedder.dimension}",
                hint="the embed section must name the model that made the index",
            )
        if method not in _METHODS:
            raise ConfigError(f"unknown dense method {method!r}", hint=f"one of {', '.join(_METHODS)}")
        selection = selected(allowed)
        if not selection.count:
            return Ranking("dense", ()), "exact"
        query = np.asarray(vector, dtype=np.float32)
        group = self._group(selection)
        found, by_graph = search.dense(self._database, query, depth, group, count=selection.count, method=method)
        return self._ranking("dense", found), "hnsw" if by_graph else "exact"

    def _ranking(self, retriever: str, found: search.ScoredRows) -> Ranking:
        names = [self.rows.doc_ids[row] for row in self.rows.rows_of([content for content, _, _ in found]).tolist()]
        return ranked(
            retriever,
            ((f"{name}#{ordinal}", score) for name, (_, ordinal, score) in zip(names, found, strict=True)),
        )

    # ------------------------------------------------------------ records

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """The chunks, in the order asked for. Raises KeyError for an id that is not in this version."""
        return [record_of(Chunk, data) for data in self._of_chunks("data", chunk_ids)]

    def vectors(self, chunk_ids: Sequence[str]) -> NDArray[np.float32]:
        """Stored vectors of the chunks, a row each. Raises KeyError."""
        import numpy as np

        rows = [vector.to_numpy() for vector in self._of_chunks("embedding", chunk_ids)]
        return np.asarray(rows, dtype=np.float32).reshape(len(rows), self.embedder.dimension)

    def _of_chunks(self, column: str, chunk_ids: Sequence[str]) -> list[Any]:
        places = [self._place(chunk_id) for chunk_id in chunk_ids]
        rows = self._database.rows(
            f"SELECT content, ordinal, {column} FROM chunks "
            "JOIN unnest(%s::bigint[], %s::integer[]) AS asked(content, ordinal) USING (content, ordinal)",
            ([content for content, _ in places], [ordinal for _, ordinal in places]),
        )
        found = {(int(content), int(ordinal)): value for content, ordinal, value in rows}
        try:
            return [found[place] for place in places]
        except KeyError as error:
            raise self._gone(f"chunk {error.args[0]}") from error

    def _place(self, chunk_id: str) -> tuple[int, int]:
        doc_id, ordinal = chunk_place(chunk_id)
        row = self.rows.row_of.get(doc_id)
        if row is None or not 1 <= ordinal <= int(self.rows.sizes[row]):
            raise KeyError(chunk_id)
        return int(self.rows.contents[row]), ordinal

    def _gone(self, what: str) -> StoreError:
        return StoreError(
            f"{self._database.location}: {what} of {self.version} is gone: it was forgotten, or the index is damaged",
            hint="ask again; rag versions verify",
        )

    def document(self, doc_id: str) -> Document:
        """The document with its text. Raises KeyError when it is not in this version."""
        content = int(self.rows.contents[self.rows.row_of[doc_id]])
        row = self._database.row("SELECT head, body FROM contents WHERE content = %s", (content,))
        if row is None:
            raise self._gone(f"document {doc_id!r}")
        return document_of(*row)

    def headers(self, doc_ids: Sequence[str]) -> list[Document]:
        """The documents without text, blocks and sections. Raises KeyError for an unknown id."""
        contents = [int(self.rows.contents[self.rows.row_of[doc_id]]) for doc_id in doc_ids]
        rows = self._database.rows("SELECT content, head FROM contents WHERE content = ANY(%s)", (contents,))
        found = {int(content): head for content, head in rows}
        empty: dict[str, Any] = {name: "" if name == "text" else [] for name in BODY}
        try:
            return [record_of(Document, found[content], **empty) for content in contents]
        except KeyError as error:
            raise self._gone(f"document {error.args[0]}") from error

    def document_chunks(self, doc_id: str) -> list[Chunk]:
        """The document's chunks, in order. Raises KeyError."""
        content = int(self.rows.contents[self.rows.row_of[doc_id]])
        rows = self._database.rows("SELECT data FROM chunks WHERE content = %s ORDER BY ordinal", (content,))
        return [record_of(Chunk, data) for (data,) in rows]

    def titled(self, titles: Sequence[str], allowed: Allowed) -> list[str]:
        """The allowed documents that have one of the titles, letter for letter, sorted."""
        return titled(titles, selected(allowed), [self.rows.doc_ids])

    def doc_ids(self, allowed: Allowed | None = None) -> list[str]:
        """Every document (or every allowed one), sorted."""
        mask = None if allowed is None else selected(allowed).documents(0)
        return [doc_id for row, doc_id in enumerate(self.rows.doc_ids) if mask is None or mask[row]]
