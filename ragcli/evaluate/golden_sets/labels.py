"""Labels of a golden case as units that chunks can serve, and rankings read through them; pure.

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

Evidence (finer places inside the judged documents) is served by any chunk that shares at least half of itself or of the
evidence: a paragraph need not fit into one chunk.

A unit that nothing can serve stays in the denominator: the case scores less, and its ``fault`` says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from ragcli.records import GoldenCase, Span

Fault = Literal["not_in_corpus", "not_in_text", "cut_by_chunking"]


@dataclass(frozen=True, slots=True)
class Target:
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
        return chunk_id in self.chunk_ids if self.chunk_ids is not None else doc_id_of(chunk_id) == self.doc_id


@dataclass(frozen=True, slots=True)
class Judged:
    """A case with its labels resolved. ``evidence`` are the finer units, for context measures and losses."""

    case: GoldenCase
    units: tuple[Target, ...]
    evidence: tuple[Target, ...] = ()

    @property
    def level(self) -> Literal["document", "chunk"]:
        """What ``k`` counts in this case's measures."""
        return "chunk" if any(unit.chunk_ids is not None for unit in self.units) else "document"

    @property
    def relevance(self) -> Mapping[str, int]:
        """Grade of each unit by its name: the qrels of this case."""
        return {unit.name: unit.relevance for unit in self.units}

    @property
    def faults(self) -> tuple[Target, ...]:
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
