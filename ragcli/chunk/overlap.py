"""Chunks that begin with the last sentences of the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ragcli.chunk.cuts import Cut
from ragcli.chunk.tokens import TokenMap
from ragcli.language.sentences import sentence_spans
from ragcli.records import Document, Span


def with_overlap(document: Document, cuts: Sequence[Cut], tokens: TokenMap, overlap: int) -> list[Cut]:
    """The cuts, each that continues the prose before it begun up to ``overlap`` tokens earlier, at a sentence.

    A cut that repeats a lead repeats no sentences besides.
    """
    if overlap <= 0:
        return list(cuts)
    result = list(cuts[:1])
    for before, cut in pairwise(cuts):
        start = cut.span.start
        if cut.continues and not cut.lead:
            start = _earlier(document, before.span, cut.span.start, tokens, overlap)
        result.append(replace(cut, span=Span(start, cut.span.end)))
    return result


def _earlier(document: Document, before: Span, start: int, tokens: TokenMap, overlap: int) -> int:
    """The earliest sentence of the span ``before`` from which no more than ``overlap`` tokens lead up to ``start``."""
    for sentence in sentence_spans(before.of(document.text), document.metadata.language)[1:]:
        position = before.start + sentence.start
        if tokens.size(position, start) <= overlap:
            return position
    return start
