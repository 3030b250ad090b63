"""Labels of a golden case, resolved against the corpus that is in the index, and rankings read through them.

A case asks for *units*: a document, or a place in one. What counts, and at which level:

- A bare source label is a **document** unit. When a case has only such labels it is measured at document level: the
  ranking of chunks becomes a ranking of documents, each at the rank of its best chunk (MaxP, Dai and Callan, 2019), and
  ``k`` counts documents, as in BEIR.
- Chunk, quote, heading and page labels are **place** units, served by every chunk that holds the quote whole, or shares
  at least half of itself (or of the place) with the heading's section or the page. With such a label a case is
  measured at chunk level: ``k`` counts passages. A unit is gained once, by the first chunk that serves it; a further
  chunk of the same unit keeps its place and gains nothing. Documents named by bare sources in such a case are
  reduced to their best chunk as above.
- Units served by exactly the same chunks are one unit, of the highest grade. A chunk that serves several units
  stands for each of them, one after the other.

A unit that nothing can serve stays in the denominator: the case scores less, and its ``fault`` says why.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from ragcli.errors import GoldenError
from ragcli.evaluate.locate import locate
from ragcli.records import Chunk, Document, GoldenCase, Judgment, Span

Fault = Literal["not_in_corpus", "not_in_text", "cut_by_chunking"]
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


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing to find. ``chunk_ids`` is None for a whole document; ``spans`` are its places in ``doc_id``'s text."""

    name: str
    relevance: int
    doc_id: str = ""
    chunk_ids: frozenset[str] | None = None
    spans: tuple[Span, ...] = ()
    fault: Fault | None = None
    detail: str = ""

    def served_by(self, chunk_id: str) -> bool:
        """Whether this chunk counts as finding the unit."""
        if self.fault is not None:
            return False
        return chunk_id in self.chunk_ids if self.chunk_ids is not None else doc_id_of(chunk_id) == self.doc_id


@dataclass(frozen=True, slots=True)
class Judged:
    """A case with its labels resolved. ``evidence`` are the finer units, for context measures and losses."""

    case: GoldenCase
    units: tuple[Unit, ...]
    evidence: tuple[Unit, ...] = ()

    @property
    def level(self) -> Literal["document", "chunk"]:
        """What ``k`` counts in this case's measures."""
        return "chunk" if any(unit.chunk_ids is not None for unit in self.units) else "document"

    @property
    def relevance(self) -> Mapping[str, int]:
        """Grade of each unit by its name: the qrels of this case."""
        return {unit.name: unit.relevance for unit in self.units}

    @property
    def faults(self) -> tuple[Unit, ...]:
        """Units whose label no longer fits the corpus."""
        return tuple(unit for unit in self.units if unit.fault is not None)

    def items(self, chunk_ids: Iterable[str]) -> list[str]:
        """A ranking of chunks as a ranking of units, documents and chunks: the run that measures read."""
        whole = {unit.doc_id for unit in self.units if unit.chunk_ids is None and unit.fault is None}
        level, seen, ranking = self.level, set[str](), list[str]()
        for chunk_id in chunk_ids:
            doc_id = doc_id_of(chunk_id)
            served = [unit.name for unit in self.units if unit.served_by(chunk_id) and unit.name not in seen]
            reduced = level == "document" or doc_id in whole
            other = doc_id if reduced else chunk_id
            for item in served or ([] if other in seen else [other]):
                seen.add(item)
                ranking.append(item)
        return ranking


def doc_id_of(chunk_id: str) -> str:
    """The document a chunk id belongs to."""
    return chunk_id.rpartition("#")[0]


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
        found = [self.unit(judgment, case.where) for judgment in case.evidence]
        usable = _merged([unit for unit in found if unit.fault in (None, "cut_by_chunking")])
        return Judged(case, units, usable or _lost_evidence(found))

    def unit(self, judgment: Judgment, where: str) -> Unit:
        """One label as a unit, with a fault when the corpus no longer holds it."""
        doc_id = self.doc_id(judgment.source, where)
        if doc_id is None:
            detail = f"no document {judgment.source!r} in the index"
            return Unit(str(judgment), judgment.relevance, fault="not_in_corpus", detail=detail)
        if judgment.whole_document:
            return Unit(doc_id, judgment.relevance, doc_id)
        named = replace(judgment, source=doc_id)
        chunks = self._chunks(doc_id)
        if judgment.chunk is not None:
            return _chunk_unit(named, chunks)
        return place_unit(named, self._document(doc_id), chunks)

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


def place_unit(judgment: Judgment, document: Document, chunks: Sequence[Chunk]) -> Unit:
    """A quote, heading or page of ``document`` as a unit; pure."""
    spans = _places(judgment, document)
    if not spans:
        detail = f"{document.doc_id} was parsed without it"
        return Unit(str(judgment), judgment.relevance, document.doc_id, frozenset(), (), "not_in_text", detail)
    holds = _contains if judgment.quote else _shares_half
    serving = frozenset(chunk.chunk_id for chunk in chunks if any(holds(chunk.span, span) for span in spans))
    if serving:
        return Unit(str(judgment), judgment.relevance, document.doc_id, serving, spans)
    cut = [chunk.chunk_id for chunk in chunks if any(_overlap(chunk.span, span) for span in spans)]
    detail = f"it stands in the text at {spans[0].start}, cut over {', '.join(cut) or 'no chunk'}"
    return Unit(str(judgment), judgment.relevance, document.doc_id, frozenset(), spans, "cut_by_chunking", detail)


def _chunk_unit(judgment: Judgment, chunks: Sequence[Chunk]) -> Unit:
    for chunk in chunks:
        if chunk.ordinal == judgment.chunk:
            return Unit(chunk.chunk_id, judgment.relevance, chunk.doc_id, frozenset({chunk.chunk_id}), (chunk.span,))
    detail = f"{judgment.source} has {len(chunks)} chunks now; a quote survives re-chunking, a chunk id does not"
    return Unit(str(judgment), judgment.relevance, judgment.source, frozenset(), (), "not_in_corpus", detail)


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


def _merged(units: Sequence[Unit]) -> tuple[Unit, ...]:
    """Units served by the same chunks of the same document as one, of the highest grade, in the order written."""
    merged: dict[object, Unit] = {}
    for unit in units:
        key: object = (unit.doc_id, unit.chunk_ids) if unit.fault is None else unit.name
        known = merged.get(key)
        if known is None:
            merged[key] = unit
        else:
            spans = tuple(sorted({*known.spans, *unit.spans}))
            merged[key] = replace(known, relevance=max(known.relevance, unit.relevance), spans=spans)
    return tuple(merged.values())


def _lost_evidence(found: Sequence[Unit]) -> tuple[Unit, ...]:
    """All evidence of a case is gone from the text: kept, so that the loss is named. Some gone: the rest stands."""
    return _merged(found)
