"""The rows that a query's result was made of, as quotes of the chunks in which they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragcli.answer.check.citing import Quoted
from ragcli.interfaces import Engine
from ragcli.records import Chunk, Passage, RowPlace, Span, Underlying

_MOST_CITATIONS = 5
_LONGEST_QUOTE = 600  # characters


class RowPassages:
    """The chunks in which the rows of a result stand, numbered in the order in which they are first asked for."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._passages: dict[str, Passage] = {}
        self._chunks: dict[str, list[Chunk]] = {}

    def all(self) -> tuple[Passage, ...]:
        """Every passage that was cited."""
        return tuple(self._passages.values())

    def quotes(self, places: Iterable[RowPlace]) -> tuple[Quoted, ...]:
        """The rows as quotes: one for each run of rows that stand together in one chunk, the first few of them."""
        runs: list[tuple[Passage, Span]] = []
        for place in places:
            passage = self._passage(place)
            if passage is None or place.span is None:
                continue
            last = runs[-1] if runs else None
            if last is not None and last[0] is passage and self._adjoins(passage, last[1], place.span):
                runs[-1] = passage, Span(last[1].start, place.span.end)
            elif len(runs) < _MOST_CITATIONS:
                runs.append((passage, place.span))
        return tuple(_quoted(passage, span) for passage, span in runs)

    def underlying(self, at: Span, places: Sequence[RowPlace]) -> tuple[Underlying, ...]:
        """What the stretch ``at`` of a result was made of: rows, or for places that are none whole documents."""
        rows = [(item.passage, item.span) for item in self.quotes(places)]
        whole = dict.fromkeys(passage.chunk.chunk_id for place in places if (passage := self._passage(place)))
        found = rows or [(self._passages[chunk_id], None) for chunk_id in whole][:_MOST_CITATIONS]
        return tuple(
            Underlying(at, passage.chunk, passage.source, span, passage.effective_date) for passage, span in found
        )

    def header(self, place: RowPlace) -> str:
        """The header row of the table that a row stands in; empty where it has none."""
        if place.span is None:
            return ""
        document = self._engine.document(place.doc_id)
        block = next((one for one in document.blocks if one.span.start <= place.span.start < one.span.end), None)
        first = block.span.of(document.text).strip().partition("\n")[0] if block is not None else ""
        return first.strip() if first.lstrip("> \t").startswith("|") else ""

    @staticmethod
    def _adjoins(passage: Passage, one: Span, other: Span) -> bool:
        between = passage.text[one.end - passage.span.start : other.start - passage.span.start]
        return other.start - one.end >= 0 and not between.strip() and other.end - one.start <= _LONGEST_QUOTE

    def _passage(self, place: RowPlace) -> Passage | None:
        if place.doc_id not in self._chunks:
            self._chunks[place.doc_id] = self._engine.document_chunks(place.doc_id)
        start = place.span.start if place.span is not None else 0
        chunk = next((one for one in self._chunks[place.doc_id] if one.span.start <= start < one.span.end), None)
        if chunk is None:
            return None
        if chunk.chunk_id not in self._passages:
            header = self._engine.headers([chunk.doc_id])[0]
            self._passages[chunk.chunk_id] = Passage(
                number=len(self._passages) + 1,
                chunk=chunk,
                text=chunk.text,
                span=chunk.span,
                source=place.source,
                effective_date=header.metadata.effective_date,
                media_type=header.media_type,
            )
        return self._passages[chunk.chunk_id]


def _quoted(passage: Passage, span: Span) -> Quoted:
    inside = Span(span.start - passage.span.start, min(span.end, passage.span.end) - passage.span.start)
    return Quoted(passage, inside.of(passage.text), inside)
