"""Measures of the context handed to the generator: how much of the evidence it holds, and how early.

The context is the passages in the order they are sent. Recall is counted in characters of the labelled places, so
it does not depend on how documents are cut; precision is Ragas' rank-weighted one with labels in the place of a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.evaluate.golden_sets.labels import Judged, Target
from ragcli.records import Span

CONTEXT_MEASURES = ("context_precision", "context_recall")


@dataclass(frozen=True, slots=True)
class ContextPiece:
    """One passage of the context: the chunk it was found by and the characters of the document that are sent."""

    chunk_id: str
    doc_id: str
    span: Span


def measure_context(judged: Judged, context: Sequence[ContextPiece]) -> dict[str, float | None]:
    """Both context measures; None for a case without a label."""
    units = judged.evidence or judged.units
    if not units:
        return dict.fromkeys(CONTEXT_MEASURES)
    relevant = [any(holds(unit, piece) for unit in units) for piece in context]
    return {
        "context_precision": _precision(relevant),
        "context_recall": sum(_covered(unit, context) for unit in units) / len(units),
    }


def holds(unit: Target, piece: ContextPiece) -> bool:
    """Whether the passage serves the unit: by its chunk, or because a wider passage covers the whole place."""
    if unit.served_by(piece.chunk_id):
        return True
    return piece.doc_id == unit.doc_id and any(
        piece.span.start <= span.start and span.end <= piece.span.end for span in unit.spans
    )


def _precision(relevant: Sequence[bool]) -> float:
    """Mean of precision at the ranks of the relevant passages; 0 when none is relevant."""
    found, total = 0, 0.0
    for rank, good in enumerate(relevant, start=1):
        if good:
            found += 1
            total += found / rank
    return total / found if found else 0.0


def _covered(unit: Target, context: Sequence[ContextPiece]) -> float:
    """Share of the unit inside the context: of its first place's characters, or 1 for a whole document that is met.

    A place that stands in the text more than once is covered as far as its best occurrence is.
    """
    if not unit.spans:
        return float(any(unit.served_by(piece.chunk_id) for piece in context))
    spans = [piece.span for piece in context if piece.doc_id == unit.doc_id]
    return max(_share(place, spans) for place in unit.spans)


def _share(place: Span, spans: Sequence[Span]) -> float:
    covered, reached = 0, place.start
    for span in sorted(spans):
        start, end = max(span.start, reached), min(span.end, place.end)
        if end > start:
            covered += end - start
            reached = end
    return covered / len(place) if len(place) else 0.0
