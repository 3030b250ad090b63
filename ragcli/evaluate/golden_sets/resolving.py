"""Labels resolved against the corpus that is in the index: which document, which place, which chunks serve it."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from ragcli.errors import GoldenError
from ragcli.evaluate.golden_sets.labels import Judged, Target
from ragcli.evaluate.golden_sets.locate import locate
from ragcli.records import Chunk, Document, GoldenCase, Judgment, Span

_BOUNDARY = re.compile(r"[/!]")
_KEPT = 32  # documents whose labels often stand together in a golden set


class Corpus(Protocol):
    """What resolution reads of an index; the part of ``Engine`` that holds documents."""

    def doc_ids(self) -> list[str]:
        """Every document, sorted."""

    def document(self, doc_id: str) -> Document:
        """The document with its text."""

    def headers(self, doc_ids: Sequence[str]) -> list[Document]:
        """The documents without text."""

    def document_chunks(self, doc_id: str) -> list[Chunk]:
        """Its chunks, in order."""


@dataclass
class Resolver:
    """Resolves labels against one corpus; documents are read only for labels that need their text."""

    corpus: Corpus
    _paths: dict[str, list[str]] = field(default_factory=dict)
    _stems: dict[str, list[str]] = field(default_factory=dict)
    _copies: dict[str, list[str]] | None = None

    def __post_init__(self) -> None:
        self._document = functools.lru_cache(_KEPT)(self.corpus.document)
        self._chunks = functools.lru_cache(_KEPT)(self.corpus.document_chunks)
        for doc_id in self.corpus.doc_ids():
            for suffix in path_suffixes(doc_id):
                self._paths.setdefault(suffix, []).append(doc_id)
                if (stem := _without_extension(suffix)) != suffix:
                    self._stems.setdefault(stem, []).append(doc_id)

    def judge(self, case: GoldenCase) -> Judged:
        """The case with every label resolved. Raises GoldenError for a source that fits several documents."""
        units = _merged([self.unit(judgment, case.where) for judgment in case.judgments])
        evidence = [self.unit(judgment, case.where, whole=False) for judgment in case.evidence]
        found = [unit for unit in evidence if unit.fault is None]
        return Judged(case, units, _merged(found or evidence))  # some evidence gone: the rest stands; all: it is lost

    def unit(self, judgment: Judgment, where: str, *, whole: bool = True) -> Target:
        """One label as a unit, with a fault when the corpus no longer holds it.

        With ``whole`` a quote must stand in one chunk; without, a chunk that shares half with it will do.
        """
        doc_id = self.doc_id(judgment.source, where)
        if doc_id is None:
            detail = f"no document {judgment.source!r} in the index, as far as these groups may see it"
            return Target(str(judgment), judgment.relevance, fault="not_in_corpus", detail=detail)
        if judgment.whole_document:
            return Target(doc_id, judgment.relevance, doc_id)
        named = replace(judgment, source=doc_id)
        chunks = self._chunks(doc_id)
        if judgment.chunk is not None:
            return _chunk_unit(named, chunks)
        return place_unit(named, self._document(doc_id), chunks, whole=whole)

    def doc_id(self, source: str, where: str) -> str | None:
        """The document named by an id, a path suffix, or either without its extension; None when there is none."""
        for table in (self._named, self._stemmed, self._copied):
            found = sorted(set(table().get(source, ())))
            if source in found:
                return source
            if len(found) > 1:
                shown = ", ".join(found[:5]) + (", …" if len(found) > 5 else "")
                raise GoldenError(f"{where}: {source!r} fits {len(found)} documents: {shown}", hint="write more of it")
            if found:
                return found[0]
        return None

    def _named(self) -> dict[str, list[str]]:
        return self._paths

    def _stemmed(self) -> dict[str, list[str]]:
        return self._stems

    def _copied(self) -> dict[str, list[str]]:
        """Suffixes of the sources that were merged into another document; read once, only when a label needs it."""
        if self._copies is None:
            self._copies = {}
            for document in self.corpus.headers(self.corpus.doc_ids()):
                for copy in document.also_in:
                    for suffix in path_suffixes(copy):
                        self._copies.setdefault(suffix, []).append(document.doc_id)
        return self._copies


def path_suffixes(doc_id: str) -> list[str]:
    """The id and everything after each ``/`` or ``!`` in it."""
    return [doc_id, *(doc_id[match.end() :] for match in _BOUNDARY.finditer(doc_id) if match.end() < len(doc_id))]


def place_unit(judgment: Judgment, document: Document, chunks: Sequence[Chunk], *, whole: bool = True) -> Target:
    """A quote, heading or page of ``document`` as a unit; pure."""
    spans = _places(judgment, document)
    if not spans:
        detail = f"{document.doc_id} was parsed without it"
        return Target(str(judgment), judgment.relevance, document.doc_id, frozenset(), (), "not_in_text", detail)
    holds = _contains if judgment.quote and whole else _shares_half
    serving = frozenset(chunk.chunk_id for chunk in chunks if any(holds(chunk.span, span) for span in spans))
    if serving:
        return Target(str(judgment), judgment.relevance, document.doc_id, serving, spans)
    cut = [chunk.chunk_id for chunk in chunks if any(_overlap(chunk.span, span) for span in spans)]
    detail = f"it stands in the text at {spans[0].start}, cut over {', '.join(cut) or 'no chunk'}"
    return Target(str(judgment), judgment.relevance, document.doc_id, frozenset(), spans, "cut_by_chunking", detail)


def _chunk_unit(judgment: Judgment, chunks: Sequence[Chunk]) -> Target:
    for chunk in chunks:
        if chunk.ordinal == judgment.chunk:
            return Target(chunk.chunk_id, judgment.relevance, chunk.doc_id, frozenset({chunk.chunk_id}), (chunk.span,))
    detail = f"{judgment.source} has {len(chunks)} chunks now; a quote survives re-chunking, a chunk id does not"
    return Target(str(judgment), judgment.relevance, judgment.source, frozenset(), (), "not_in_corpus", detail)


def _places(judgment: Judgment, document: Document) -> tuple[Span, ...]:
    if judgment.quote:
        return tuple(locate(judgment.quote, document.text))
    if judgment.heading:
        wanted = slug(judgment.heading)
        return tuple(
            item.span for item in document.sections if item.heading_path and slug(item.heading_path[-1]) == wanted
        )
    blocks = [block.span for block in document.blocks if block.page == judgment.page]
    return (Span(min(b.start for b in blocks), max(b.end for b in blocks)),) if blocks else ()


def slug(heading: str) -> str:
    """A heading as its anchor: letters and digits in lower case, joined by hyphens."""
    return "-".join(re.findall(r"\w+", heading.casefold()))


def _contains(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _overlap(one: Span, other: Span) -> int:
    return max(0, min(one.end, other.end) - max(one.start, other.start))


def _shares_half(one: Span, other: Span) -> bool:
    return 2 * _overlap(one, other) >= max(1, min(len(one), len(other)))


def _without_extension(path: str) -> str:
    head, dot, tail = path.rpartition(".")
    return head if dot and head and not _BOUNDARY.search(tail) and not head.endswith(("/", "!")) else path


def _merged(units: Sequence[Target]) -> tuple[Target, ...]:
    """Units served by the same chunks of the same document as one, of the highest grade, in the order written."""
    merged: dict[object, Target] = {}
    for unit in units:
        key: object = (unit.doc_id, unit.chunk_ids) if unit.fault is None else unit.name
        known = merged.get(key)
        if known is None:
            merged[key] = unit
        else:
            spans = tuple(sorted({*known.spans, *unit.spans}))
            merged[key] = replace(known, relevance=max(known.relevance, unit.relevance), spans=spans)
    return tuple(merged.values())
