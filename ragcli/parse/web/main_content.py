"""Which pieces of a page are its content. Pure.

``trafilatura`` finds the words of the main content but flattens or drops headings, lists, code and some teasers; the
pieces of the page are kept when their words are among those it found, when an element around them says that it is
content, or when they stand between such pieces and nothing marks them as frame.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragcli.parse.assemble import one_line
from ragcli.parse.web.html_blocks import PageBlock

_WORDS = re.compile(r"\w+")
_SMALL_PAGE = 2000
_MIN_SHARE = 0.03
_MIN_MAIN = 250


def main_pieces(pieces: Sequence[PageBlock], reference: str) -> list[PageBlock]:
    """The content of a page among all its pieces; all of them when it is small and frameless or nothing was found.

    ``reference`` is the text of the main content as another judge sees it.
    """
    total = sum(len(piece.text) for piece in pieces)
    if total < _SMALL_PAGE and not any(piece.framed for piece in pieces):
        return list(pieces)
    found = " " + " ".join(_WORDS.findall(reference.lower())) + " "
    if len(found) < max(_MIN_SHARE * total, min(_MIN_MAIN, 0.3 * total)):
        unframed = [piece for piece in pieces if not piece.framed]
        return unframed or list(pieces)
    named = [piece.meant or _named(piece, found) for piece in pieces]
    return [piece for piece, keep in zip(pieces, _with_context(pieces, named), strict=True) if keep]


def left_out(pieces: Sequence[PageBlock], kept: Sequence[PageBlock]) -> Iterator[str]:
    """What of the pieces was not kept, a line each with the reason."""
    staying = set(map(id, kept))
    for piece in pieces:
        if id(piece) not in staying:
            yield f"{one_line(piece.text)} [{piece.frame or 'not part of the main text'}]"


def _named(piece: PageBlock, found: str) -> bool:
    words = _WORDS.findall(piece.text.lower())
    if not words:
        return False
    if f" {' '.join(words)} " in found:
        return len(words) > 2 or piece.kind != "paragraph" or not piece.framed
    if piece.kind == "table" and len(words) > 7:
        cells = [part for cell in re.split(r"[|\n]", piece.text) if (part := " ".join(_WORDS.findall(cell.lower())))]
        return sum(len(cell) for cell in cells if f" {cell} " in found) >= 0.6 * sum(map(len, cells))
    if piece.kind in ("code", "paragraph", "list_item", "quote") and len(words) > 7:
        runs = [" ".join(words[start : start + 4]) for start in range(0, len(words) - 3, 4)]
        return sum(f" {run} " in found for run in runs) >= 0.6 * len(runs)
    return False


def _with_context(pieces: Sequence[PageBlock], named: list[bool]) -> list[bool]:
    """Named pieces, and unframed ones that belong to them: what stands beside them and the headings over them.

    A few named words with nothing of the content beside them are a coincidence.
    """
    kept = [
        keep
        and (piece.meant or len(_WORDS.findall(piece.text)) > 5 or piece.kind == "heading" or _beside(named, place))
        for place, (piece, keep) in enumerate(zip(pieces, named, strict=True))
    ]
    places = [place for place, keep in enumerate(kept) if keep]
    for place in range(places[0] + 1, places[-1]) if places else ():
        piece = pieces[place]
        if not kept[place] and not piece.framed and piece.kind != "heading" and _beside(kept, place):
            kept[place] = _like_content(piece)
    for place in range(len(pieces) - 2, -1, -1):
        piece = pieces[place]
        if piece.kind == "heading" and not piece.framed and not kept[place]:
            kept[place] = piece.level == 1 or (kept[place + 1] and piece.linked < 0.5)
    return kept


def _beside(kept: list[bool], place: int) -> bool:
    return any(kept[max(0, place - 1) : place]) or any(kept[place + 1 : place + 2])


def _like_content(piece: PageBlock) -> bool:
    if piece.kind in ("code", "table"):
        return piece.linked < 0.4
    words = len(_WORDS.findall(piece.text))
    return piece.linked < 0.3 and (words >= 12 or (piece.kind in ("list_item", "caption") and words >= 4))
