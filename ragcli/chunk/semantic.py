"""Chunks cut where the meaning turns: neighbouring sentences that have little in common are parted first."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence

from ragcli.chunk.cuts import Cut, Sizes
from ragcli.chunk.outline import Piece, outline
from ragcli.chunk.packing import pack
from ragcli.chunk.sections import Group, common_path, grouped
from ragcli.chunk.tokens import TokenMap
from ragcli.chunk.units import GLUED, PROSE, Unit, cut_piece
from ragcli.language.sentences import sentence_spans
from ragcli.records import Document, Span

Similarity = Callable[[Sequence[str]], Sequence[float]]
"""Cosine of each of n texts with the next one: n - 1 numbers."""

TURN_PRICE = 1.0
"""Price of the worst cut of a document, between its most similar neighbours; the best one is free."""

SMALLEST_SENTENCE = 12
"""Tokens under which a sentence is compared together with the one after it."""


def semantic_cuts(document: Document, tokens: TokenMap, sizes: Sizes, similarity: Similarity) -> list[Cut]:
    """The document's chunks in order, sections kept apart as in the structure strategy.

    Prose is taken sentence by sentence, tables and code as they are; a cut costs the more the more similar the two
    sides are, by rank within the document. Method: the valleys of Hearst's TextTiling (1997), with sentence vectors
    in place of word counts and the packing of the other strategies in place of a threshold.
    """
    pieces = outline(document)
    groups = grouped(pieces, tokens, minimum=sizes.minimum)
    runs = [_units(document, pieces, group, tokens, sizes.limit(common_path(group.paths))) for group in groups]
    prices = _prices(document.text, runs, similarity)
    result: list[Cut] = []
    for group, units in zip(groups, runs, strict=True):
        limit = min(sizes.limit(path) for path in group.paths)
        result += _packed(pieces, units, prices, tokens, limit, sizes.minimum)
    return result


def _units(document: Document, pieces: Sequence[Piece], group: Group, tokens: TokenMap, limit: int) -> list[Unit]:
    """Sentences of prose, other pieces whole where they fit; a unit after a heading is glued to it."""
    text, language = document.text, document.metadata.language
    result: list[Unit] = []
    for index in range(group.first, group.last):
        piece = pieces[index]
        if piece.kind in PROSE:
            parts = _sentences(text, piece.span, tokens, limit, language)
        else:
            parts = cut_piece(text, piece.span, piece.kind, tokens, limit, language)
        after_heading = bool(result) and result[-1].kind == "heading"
        for part in parts:
            result.append(Unit(part, piece.kind, index, GLUED if after_heading else 0.0))
            after_heading = False
    return result


def _sentences(text: str, span: Span, tokens: TokenMap, limit: int, language: str | None) -> list[Span]:
    """Sentences, short ones together with what follows them in the same piece."""
    result: list[Span] = []
    start = span.start
    sentences = sentence_spans(span.of(text), language)
    for number, sentence in enumerate(sentences, 1):
        end = span.start + sentence.end
        if number < len(sentences) and tokens.size(start, end) < min(SMALLEST_SENTENCE, limit):
            continue
        result += cut_piece(text, Span(start, end), "other", tokens, limit, language)
        start = span.start + sentences[number].start if number < len(sentences) else end
    return result


def _prices(text: str, runs: Sequence[Sequence[Unit]], similarity: Similarity) -> dict[Span, float]:
    """For each unit that has one before it in its run, what a cut between them costs."""
    near = similarity([unit.span.of(text) for units in runs for unit in units])
    pairs: list[tuple[float, Span]] = []
    first = 0
    for units in runs:
        own = near[first : first + len(units) - 1]  # between runs a cut is made in any case
        pairs += [(value, unit.span) for value, unit in zip(own, units[1:], strict=True)]
        first += len(units)
    values = sorted(value for value, _ in pairs)
    return {span: TURN_PRICE * bisect_left(values, value) / len(values) for value, span in pairs}


def _packed(
    pieces: Sequence[Piece],
    units: Sequence[Unit],
    prices: Mapping[Span, float],
    tokens: TokenMap,
    limit: int,
    minimum: int,
) -> list[Cut]:
    def size(first: int, last: int) -> int:
        return tokens.size(units[first].span.start, units[last - 1].span.end)

    joints = [max(unit.joint, prices.get(unit.span, 0.0)) for unit in units]
    result: list[Cut] = []
    for first, last in pack(joints, [0] * len(units), size, limit=limit, minimum=minimum):
        own = [pieces[unit.piece].path for unit in units[first:last] if unit.kind != "heading"]
        path = common_path(own) if own else pieces[units[last - 1].piece].path
        continues = first > 0 and units[first - 1].kind in PROSE and units[first].kind in PROSE
        result.append(Cut(Span(units[first].span.start, units[last - 1].span.end), path, continues=continues))
    return result
