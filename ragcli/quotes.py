"""Finding a quote in a text it was taken from, in spite of typography, and saying exactly where it stands.

``normalise`` reduces a text to what a reader would call the same words: white space, case, hyphenation, dashes,
quotation marks, ligatures and light markup do not count; letters, digits and their order do. Each character of the
reduced text knows the span it came from, so a match is a span of the original. Both run in time linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from ragcli.language.patterns import pattern
from ragcli.language.scripts import JOINERS, UNSEEN, is_unspaced
from ragcli.records import Span

_DASHES = "\\-\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d"
_QUOTES = "\"'`\u00ab\u00bb\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2039\u203a\u2032\u2033\u00b4\uff02\uff07"
_TOKEN = pattern(
    rf"""
      (?P<plain>[A-Za-z0-9]+(?![\u0300-\u036f]))
    | (?P<rule>^[ \t]*(?:\|[ \t]*)?:?-{{2,}}:?[ \t]*(?:\|[ \t]*:?-{{2,}}:?[ \t]*)*(?:\|[ \t]*)?$)
    | (?P<bullet>^[ \t]*(?:[-*+\u2022\u25e6\u25aa\u2023]|\#{{1,6}}|>)[ \t]+)
    | (?P<target>\]\([^()\n]{{0,500}}\))
    | (?P<dash>[^\S\n]*[{_DASHES}]+\s*)
    | (?P<space>[^\S\n]+ | [|\n])
    | (?P<drop>[{_QUOTES}\[\]{UNSEEN}{JOINERS}]+
        | !(?=\[) | \*+ | ~~ | (?<![^\W_])_+ | _+(?![^\W_]) | \\(?=[^\w\s]))
    | (?P<cluster>[^\W_][\u0300-\u036f]+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_EDGE = " .,;:!?-\u3002\u3001"


@dataclass(frozen=True, slots=True)
class Normalised:
    """Reduced text; character ``i`` of it came from ``original[starts[i]:ends[i]]``."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def span(self, start: int, end: int) -> Span:
        """The original characters behind ``text[start:end]`` (which must not be empty)."""
        return Span(self.starts[start], self.ends[end - 1])


class _Reducer:
    """Collects reduced characters; holds back a space or dash until its right neighbour is known."""

    def __init__(self) -> None:
        self.characters: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.pending = ""
        self.pending_span = (0, 0)

    def hold(self, character: str, start: int, end: int) -> None:
        if self.pending not in ("", " "):
            return
        self.pending, self.pending_span = character, (start, end)

    def emit(self, characters: str, start: int, end: int, *, spread: bool = False) -> None:
        if not characters:
            return
        self._settle(characters[0])
        for offset, character in enumerate(characters):
            self.characters.append(character)
            self.starts.append(start + offset if spread else start)
            self.ends.append(start + offset + 1 if spread else end)

    def _settle(self, following: str) -> None:
        held, self.pending = self.pending, ""
        before = self.characters[-1] if self.characters else ""
        if not held or (held == " " and (not before or (is_unspaced(before) and is_unspaced(following)))):
            return
        if held == "-" and before.isalpha() and following.isalpha():
            return  # hyphenation, or a compound that others write as one word
        if held == "\u2212":  # a hyphen after a space: a minus before figures
            held = "-" if following.isdigit() else " " if before else "-"
        elif held == "\u2014":  # a dash between words is a pause, between figures a range
            held = "-" if before.isdigit() and following.isdigit() else " " if before else "-"
        self.characters.append(held)
        self.starts.append(self.pending_span[0])
        self.ends.append(self.pending_span[1])


def normalise(text: str) -> Normalised:
    """``text`` reduced for comparison, with the way back to its own offsets."""
    reducer = _Reducer()
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        kind = match.lastgroup
        if kind == "plain":
            reducer.emit(match.group().lower(), start, end, spread=True)
        elif kind in ("space", "rule", "bullet"):
            reducer.hold(" ", start, end)
        elif kind == "dash":
            reducer.hold(_dash(match.group()), start, end)
        elif kind in ("cluster", "other"):
            _emit_other(reducer, unicodedata.normalize("NFKC", match.group()).casefold(), start, end)
    return Normalised("".join(reducer.characters), tuple(reducer.starts), tuple(reducer.ends))


def _dash(written: str) -> str:
    """``-`` for a hyphen inside a word or at a line's end, a minus for one after a space, else a long dash."""
    inside = written.strip()
    if len(inside) > 1 or inside in "\u2012\u2013\u2014\u2015":
        return "\u2014"
    if written[0].isspace():
        return "\u2014" if written[-1].isspace() else "\u2212"
    return "\u2014" if written[-1].isspace() and "\n" not in written else "-"


def _emit_other(reducer: _Reducer, characters: str, start: int, end: int) -> None:
    """A compatibility form may unfold to white space and more: the non-breaking space, a lone diaeresis."""
    kept = characters.strip()
    if not kept:
        reducer.hold(" ", start, end)
    else:
        reducer.emit(kept, start, end)


def locate(quote: str, text: str | Normalised) -> Span | None:
    """Where ``quote`` stands word for word in ``text``: the first place that starts and ends at a word's edge.

    None when it does not, or when the quote has neither letter nor digit.
    """
    whole = normalise(text) if isinstance(text, str) else text
    needle = _needle(quote)
    position = whole.text.find(needle) if needle else -1
    while position >= 0:
        end = position + len(needle)
        if _at_edge(whole.text, position) and _at_edge(whole.text, end):
            return whole.span(position, end)
        position = whole.text.find(needle, position + 1)
    return None


def locate_loosely(quote: str, text: str | Normalised, *, tolerance: float = 0.12) -> Span | None:
    """Where ``quote`` stands in ``text`` with at most ``tolerance`` edits per character: for text read by OCR.

    The digits must agree exactly: a misread letter is noise, a different number is a different statement. The search
    is Myers' bit-parallel one (J. ACM 46, 1999), linear in the text for quotes of ordinary length.
    """
    exact = locate(quote, text)
    if exact is not None:
        return exact
    whole = normalise(text) if isinstance(text, str) else text
    needle = _needle(quote)
    if len(needle) < 8 or not whole.text:
        return None
    end, distance = _best_end(needle, whole.text)
    if distance > tolerance * len(needle):
        return None
    head = whole.text[max(0, end - len(needle) - distance) : end]
    length, _ = _best_end(needle[::-1], head[::-1])
    start = end - length
    found = whole.text[start:end]
    if not found or re.findall(r"\d+", found) != re.findall(r"\d+", needle):
        return None
    return whole.span(start, end)


def _needle(quote: str) -> str:
    needle = normalise(unicodedata.normalize("NFC", quote)).text.strip(_EDGE)
    return needle if any(character.isalnum() for character in needle) else ""


def _at_edge(text: str, position: int) -> bool:
    """Whether a word may begin or end at ``position``: never between two letters or digits of a spaced script."""
    if position <= 0 or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    if is_unspaced(before) or is_unspaced(after):
        return not (before.isdigit() and after.isdigit())
    if (before.isalnum() or before == "_") and (after.isalnum() or after == "_"):
        return False
    return not _inside_number(text, position)


def _inside_number(text: str, position: int) -> bool:
    """Between the parts of a number written with a separator: ``10`` is not a word of ``10,000`` or ``10.5``."""
    for mark in (position - 1, position):
        if 0 < mark < len(text) - 1 and text[mark] in ".,":
            if text[mark - 1].isdigit() and text[mark + 1].isdigit():
                return True
    return False


def _best_end(needle: str, text: str) -> tuple[int, int]:
    """End of the substring of ``text`` nearest to ``needle`` and its edit distance; the earliest of equals."""
    masks: dict[str, int] = {}
    for index, character in enumerate(needle):
        masks[character] = masks.get(character, 0) | (1 << index)
    full, high = (1 << len(needle)) - 1, 1 << (len(needle) - 1)
    plus, minus, score = full, 0, len(needle)
    best = (score, 0)
    for position, character in enumerate(text, start=1):
        equal = masks.get(character, 0)
        vertical = equal | minus
        horizontal = (((equal & plus) + plus) ^ plus) | equal
        up, down = minus | ~(horizontal | plus) & full, plus & horizontal
        score += 1 if up & high else -1 if down & high else 0
        up, down = (up << 1) & full, (down << 1) & full
        plus, minus = down | (~(vertical | up) & full), up & vertical
        best = min(best, (score, position))
    return best[1], best[0]


_MIN_PROBE, _MOST_PROBES = 24, 40


def probes(text: str) -> list[str]:
    """Pieces of a text by which it would be recognised: its longest lines and sentences, cut to a length."""
    pieces = {piece.strip()[:200] for piece in re.split(r"\n+|(?<=[.!?。！？])\s*", text)}
    long = sorted((piece for piece in pieces if len(piece) >= _MIN_PROBE), key=lambda piece: (-len(piece), piece))
    whole = " ".join(text.split())[:200]
    return long[:_MOST_PROBES] or ([whole] if whole else [])


def probes_besides(texts: Iterable[str], besides: Iterable[str]) -> list[str]:
    """The probes of ``texts`` that stand in none of ``besides``, whatever the white space, sorted."""
    found = {probe for text in texts for probe in probes(text)}
    flat = [" ".join(text.split()) for text in besides]
    return sorted(probe for probe in found if not any(" ".join(probe.split()) in text for text in flat))
