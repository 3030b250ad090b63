"""An index as some groups may see it: what is closed to them is not in it, neither by name nor by word."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Sequence

from ragcli.interfaces import Engine
from ragcli.records import Chunk, Document, Scope


class SeenDocuments:
    """The documents of an index that some groups may see, of any date and state."""

    def __init__(self, engine: Engine, groups: tuple[str, ...]) -> None:
        self.engine = engine
        self._scope = Scope(groups=groups, include_superseded=True)

    @functools.cached_property
    def _doc_ids(self) -> list[str]:
        return self.engine.doc_ids(self.engine.allowed(self._scope))

    def doc_ids(self) -> list[str]:
        """Every document, sorted."""
        return self._doc_ids

    def document(self, doc_id: str) -> Document:
        """The document with its text."""
        return self.engine.document(doc_id)

    def headers(self, doc_ids: Sequence[str]) -> list[Document]:
        """The documents without text."""
        return self.engine.headers(doc_ids)

    def document_chunks(self, doc_id: str) -> list[Chunk]:
        """Its chunks, in order."""
        return self.engine.document_chunks(doc_id)

    def fingerprint(self) -> str:
        """Identifies the documents by ids and source bytes, whatever way they were parsed, cut and embedded."""
        digest = hashlib.sha256()
        for document in self.headers(self.doc_ids()):
            digest.update(f"{document.doc_id}\0{document.sha256}\n".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()[:16]


def all_groups(groups: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Everyone named in any of several lists of groups, once, in order."""
    return tuple(dict.fromkeys(group for each in groups for group in each))
