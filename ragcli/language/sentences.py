"""Where sentences begin and end, in any language, as spans of the text they were given.

The boundaries come from ``sentencex`` (Wikimedia, MIT, 5 MB, rules and abbreviations for some 300 languages, compiled).
What it gets wrong on documents, as opposed to running prose, is mended here: lists and tables, list markers that stand
alone, closing quotes cut off, Japanese quotative particles, and Thai, Lao and Khmer, which end a sentence with a space.
"""

from __future__ import annotations

from collections.abc import Iterator

from ragcli.language.patterns import pattern
from ragcli.language.scripts import SPACE_ENDS_SENTENCE
from ragcli.records import Span

_MARKER = r"(?:[-*+•‣◦▪–—·]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxlcIVXLC]{1,5})[.)]|\(?[一二三四五六七八九十]{1,3}[、)）])"
_HARD_BREAK = pattern(
    r"\n[^\S\n]*(?:\n\s*)+"  # a blank line
    rf"|\n(?=[^\S\n]*(?:{_MARKER}[^\S\n]+\S|\#{{1,6}}[^\S\n]|\||```|~~~))"  # the next line is an item, heading, row
    r"|(?<=\|)[^\S\n]*\n"  # this line is a table row
)
_HEADING_LINE = pattern(r"[^\S\n]*#{1,6}[^\S\n][^\n]*(?:\n|\Z)")
_LONE_MARKER = pattern(rf"{_MARKER}\s*\Z")
_CLOSERS = pattern(r"[\s]*[\"'”’»›」』）)\]】〉》〕}]+(?=\s|\Z|[^\w\s])|[」』）】〉》〕]+")
_QUOTATIVE = pattern(r"(?:と|って|という|とか|などと)")
_SPACED = pattern(f"[{SPACE_ENDS_SENTENCE}]")
_SPACED_BREAK = pattern(rf"(?<=[{SPACE_ENDS_SENTENCE}0-9)\]\"”])\s+(?=[{SPACE_ENDS_SENTENCE}(\[\"“])")
_SPACED_MINIMUM = 30
_SURROGATE = pattern(r"[\ud800-\udfff]")


def sentence_spans(text: str, language: str | None = None) -> list[Span]:
    """Sentences of ``text``, in order, without white space at their ends.

    They do not overlap and together hold every character that is not white space. A line break alone does not end a
    sentence (text is often wrapped); a blank line, a list item, a heading or a table row does. ``language`` is an
    ISO 639 code, with or without a region (``de``, ``pt-BR``); None is read as English, whose rules know the
    terminators of every script.
    """
    if not text or text.isspace():
        return []
    code = (language or "en").replace("_", "-").split("-")[0].lower() or "en"
    spans: list[Span] = []
    for start, end in _hard_pieces(text):
        spans += _piece_spans(text, start, end, code)
    return spans


def _hard_pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _HARD_BREAK.finditer(text):
        yield from _after_heading(text, start, match.start())
        start = match.end()
    yield from _after_heading(text, start, len(text))


def _after_heading(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The piece, cut after its first line when that is a heading."""
    if heading := _HEADING_LINE.match(text, start, end):
        yield start, heading.end()
        start = heading.end()
    if start < end:
        yield start, end


def _piece_spans(text: str, start: int, end: int, language: str) -> list[Span]:
    """Sentences of a piece without hard breaks inside."""
    piece = text[start:end]
    if piece.lstrip()[:1] == "|":  # a table row is read as a whole
        row = _trimmed(text, start, end)
        return [row] if row else []
    cuts = _mended(piece, _boundaries(piece, language))
    if _SPACED.search(piece):
        cuts = _cut_at_spaces(piece, cuts)
    trimmed = (_trimmed(text, start + left, start + right) for left, right in cuts)
    return [span for span in trimmed if span is not None]


def _boundaries(piece: str, language: str) -> list[int]:
    """Offsets at which a sentence ends, the last being ``len(piece)``."""
    import sentencex

    if not piece.isascii():
        piece = _SURROGATE.sub("�", piece)  # lone surrogates cannot be handed to compiled code
    ends: list[int] = []
    position = 0
    for sentence in sentencex.segment(language, piece):
        position += len(sentence)
        ends.append(position)
    return ends if position == len(piece) else [len(piece)]


def _mended(piece: str, ends: list[int]) -> list[tuple[int, int]]:
    """Sentences as pairs of offsets, with markers, closing quotes and particles joined to where they belong."""
    cuts: list[tuple[int, int]] = []
    for end in ends:
        start = cuts[-1][1] if cuts else 0
        if cuts and (closers := _CLOSERS.match(piece, start, end)):
            cuts[-1] = (cuts[-1][0], closers.end())
            start = closers.end()
        if start == end:
            continue
        if cuts and _belongs_to_previous(piece, cuts[-1], start):
            cuts[-1] = (cuts[-1][0], end)
        else:
            cuts.append((start, end))
    return cuts


def _belongs_to_previous(piece: str, previous: tuple[int, int], start: int) -> bool:
    """Whether what begins at ``start`` goes on with the sentence before."""
    left = piece[previous[0] : previous[1]].strip()
    if len(left) <= 6 and _LONE_MARKER.fullmatch(left):
        return True
    return left[-1:] in "」』" and _QUOTATIVE.match(piece, start) is not None


def _cut_at_spaces(piece: str, cuts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Long stretches of a script that ends sentences with a space, cut at spaces into pieces that are not tiny."""
    result: list[tuple[int, int]] = []
    for start, end in cuts:
        position = start
        for match in _SPACED_BREAK.finditer(piece, start, end):
            if match.end() - position >= _SPACED_MINIMUM and end - match.end() >= _SPACED_MINIMUM:
                result.append((position, match.end()))
                position = match.end()
        result.append((position, end))
    return result


def _trimmed(text: str, start: int, end: int) -> Span | None:
    """The span without white space at its ends; None when nothing is left."""
    piece = text[start:end]
    stripped = piece.lstrip()
    if not stripped:
        return None
    return Span(end - len(stripped), end - len(stripped) + len(stripped.rstrip()))
