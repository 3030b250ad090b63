"""Retrieved chunks -> the passages a generator gets: within the token budget, strongest first, nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from ragcli.config import AnswerConfig
from ragcli.interfaces import Engine, Tokenizer
from ragcli.language.sentences import sentence_spans
from ragcli.records import Document, Passage, Retrieval, RetrievedChunk, Span


def pack(retrieval: Retrieval, *, engine: Engine, config: AnswerConfig, tokenizer: Tokenizer) -> tuple[Passage, ...]:
    """At most ``config.passages`` passages of ``config.passage_tokens`` tokens in all, in the order of the hits.

    A chunk with a parent span is widened to it when that fits. What an earlier passage of the same document already
    holds is cut off the later one, to whole sentences; a passage with nothing of its own left is dropped. The first
    hit is always sent, cut to the budget if need be.
    """
    document = cache(engine.document)
    taken: dict[str, list[Span]] = {}
    passages: list[Passage] = []
    left = config.passage_tokens
    for hit in retrieval.hits:
        if len(passages) >= config.passages or left <= 0:
            break
        placed = _place(hit, taken.get(hit.chunk.doc_id, ()), left, document, tokenizer)
        if placed is None:
            continue
        span, text, cost = placed
        taken.setdefault(hit.chunk.doc_id, []).append(span)
        left -= cost
        passages.append(_passage(len(passages) + 1, hit, span, text, document))
    return tuple(passages)


def _place(
    hit: RetrievedChunk, taken: Sequence[Span], left: int, document: Callable[[str], Document], tokenizer: Tokenizer
) -> tuple[Span, str, int] | None:
    """The widest span of the hit that fits what is left, with its text and cost; None when nothing new fits."""
    chunk = hit.chunk
    overhead = tokenizer.count(f"{chunk.prefix} {chunk.lead}")
    for wanted in (chunk.parent, chunk.span):
        if wanted is None:
            continue
        is_chunk = wanted == chunk.span
        text = chunk.text if is_chunk else wanted.of(document(chunk.doc_id).text)
        span = _without(wanted, text, taken)
        if span is None:
            continue
        text = text[span.start - wanted.start : span.end - wanted.start]
        cost = overhead + tokenizer.count(text)
        if cost <= left:
            return span, text, cost
    return _first_sentences(hit, left - overhead, tokenizer) if not taken and left > overhead else None


def _without(wanted: Span, text: str, taken: Sequence[Span]) -> Span | None:
    """The part of ``wanted`` outside every taken span, in whole sentences; the longest piece when it is cut in two."""
    touching = [span for span in taken if span.start < wanted.end and wanted.start < span.end]
    if not touching:
        return wanted
    pieces: list[Span] = []
    run: Span | None = None
    for sentence in sentence_spans(text):
        place = Span(wanted.start + sentence.start, wanted.start + sentence.end)
        if any(place.start < span.end and span.start < place.end for span in touching):
            run = None
            continue
        if run is None:
            pieces.append(place)
        else:
            pieces[-1] = Span(run.start, place.end)
        run = pieces[-1]
    return max(pieces, key=lambda piece: (len(piece), -piece.start), default=None)


def _first_sentences(hit: RetrievedChunk, budget: int, tokenizer: Tokenizer) -> tuple[Span, str, int] | None:
    """As many whole sentences from the chunk's start as fit; None when not one does."""
    chunk = hit.chunk
    best: tuple[Span, str, int] | None = None
    for sentence in sentence_spans(chunk.text):
        text = chunk.text[: sentence.end]
        cost = tokenizer.count(text)
        if cost > budget:
            break
        best = Span(chunk.span.start, chunk.span.start + sentence.end), text, cost
    return best


def _passage(number: int, hit: RetrievedChunk, span: Span, text: str, document: Callable[[str], Document]) -> Passage:
    chunk = hit.chunk
    several_pages = chunk.first_page != chunk.last_page or span != chunk.span
    paged = chunk.first_page is not None and several_pages
    return Passage(
        number=number,
        chunk=chunk,
        text=text,
        span=span,
        source=hit.source or chunk.doc_id,
        effective_date=hit.effective_date,
        media_type=hit.media_type,
        page_starts=_page_starts(document(chunk.doc_id), span) if paged else (),
        dense_score=hit.dense_score,
        bm25_score=hit.bm25_score,
        rerank_score=hit.rerank_score,
    )


def _page_starts(document: Document, span: Span) -> tuple[tuple[int, int], ...]:
    """(offset, page) of each page that begins in the span, after the one it begins on."""
    starts: dict[int, int] = {}
    for block in document.blocks:
        if block.page is not None and block.page not in starts:
            starts[block.page] = block.span.start
    ordered = sorted((start, page) for page, start in starts.items() if start < span.end)
    before = [pair for pair in ordered if pair[0] <= span.start][-1:]
    return tuple(before + [pair for pair in ordered if pair[0] > span.start])
