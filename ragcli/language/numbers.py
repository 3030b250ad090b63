"""Numbers as text writes them, in figures and in words, with the unit they count, reduced to one form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragcli.language.lexicon import listed, named, valued
from ragcli.language.patterns import pattern
from ragcli.language.words import LETTERS, is_function_word

UNIT_SUFFIX = pattern(
    r"(?<![\w.,-])(\d+(?:[.,]\d+)?)"
    r"(st|nd|rd|th|k|m|bn|kg|g|mg|km|cm|mm|s|ms|h|hrs?|min|gb|mb|kb|tb|px|pt|x|er|ten|te)(?![^\W_])",
    re.IGNORECASE,
)
_FIGURE = pattern(
    r"(?<![A-Za-z0-9_])(?P<sign>(?<![\w)])[-\u2212])?"
    r"(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,'\u2019]\d+)*)(?P<percent>\s?%)?"
)
_SCALE = pattern(r"[ \u00a0-]?([A-Za-z]+)\b")
_NEXT_WORDS = pattern(r"[ \u00a0\n-]*([^\W\d]+|[€$£%])(?:[ \u00a0\n-]+([^\W\d]+))?")


@dataclass(frozen=True, slots=True)
class Number:
    """``values`` are its canonical readings (``1200.5``); ``unit`` is canonical (``day``), empty when it has none."""

    values: frozenset[str]
    start: int
    end: int
    unit: str = ""


def figures(text: str) -> Iterator[Number]:
    """Numbers written with digits: ``1,200.50``, ``5 million``, ``15 %``, ``30min``, ``-5``."""
    for match in UNIT_SUFFIX.finditer(text):
        suffix = match[2].casefold()
        value = _scaled(_reading(match[1]), valued("scales").get(suffix, 1))
        yield Number(frozenset({value}), match.start(), match.end(), named("units").get(suffix, ""))
    for match in _FIGURE.finditer(text):
        body = match.group().strip("-\u2212% ")
        scale, end = _scale_after(text, match.end())
        value = ("-" if match["sign"] else "") + _scaled(_reading(body), scale)
        unit = "percent" if match["percent"] else _currency_before(text, match.start()) or _unit_after(text, end)
        yield Number(frozenset({value}), match.start(), end, unit)


def spelled(text: str) -> Iterator[Number]:
    """Numbers written as words: ``five``, ``twenty-five``, ``two hundred thousand``, ``first``."""
    tokens = [(match.group().casefold(), match.start(), match.end()) for match in LETTERS.finditer(text)]
    index = 0
    while index < len(tokens):
        word, start, end = tokens[index]
        value = _word_value(word)
        if (place := valued("ordinals").get(word)) is not None:  # "second" is also a unit of time, and not among them
            yield Number(frozenset({str(place)}), start, end)
        elif value is not None and not (word == "one" and _is_pronoun(tokens, index)):
            value, last = _with_following(text, tokens, index, value)
            index, end = last, tokens[last][2]
            yield Number(frozenset({str(value)}), start, end, _unit_after(text, end))
        index += 1


def _with_following(text: str, tokens: Sequence[tuple[str, int, int]], index: int, value: int) -> tuple[int, int]:
    """The value together with the number words right after it, and the index of the last of them."""
    while index + 1 < len(tokens) and not text[tokens[index][2] : tokens[index + 1][1]].strip(" \u00a0"):
        following = tokens[index + 1][0]
        scale, added = valued("scales").get(following, 0), valued("numbers").get(following, 0)
        if scale and len(following) > 2:
            value *= scale
        elif added and value and value % (100 if added >= 10 else 10) == 0 and value != 10:
            value += added
        else:
            break
        index += 1
    return value, index


def _reading(body: str) -> str:
    """The value of a numeral; a separator before exactly three digits groups thousands."""
    plain = re.sub(r"[ \u00a0\u202f'\u2019]", "", body)
    if re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{3})+", plain):
        return re.sub(r"[.,]", "", plain)
    last = max(plain.rfind("."), plain.rfind(","))
    if last < 0 or plain.count(plain[last]) > 1:
        return re.sub(r"[.,]", "", plain).lstrip("0") or "0"
    whole = re.sub(r"[.,]", "", plain[:last]).lstrip("0") or "0"
    fraction = plain[last + 1 :].rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def _scaled(value: str, scale: int) -> str:
    if scale == 1:
        return value
    whole, _, fraction = value.partition(".")
    digits = len(str(scale)) - 1
    number = (whole + (fraction + "0" * digits)[:digits]).lstrip("0") or "0"
    rest = fraction[digits:]
    return f"{number}.{rest}" if rest else number


def _scale_after(text: str, end: int) -> tuple[int, int]:
    match = _SCALE.match(text, end)
    scale = valued("scales").get(match[1].casefold(), 0) if match and len(match[1]) > 1 else 0
    return (scale, match.end()) if match and scale else (1, end)


def _unit_after(text: str, end: int) -> str:
    """The unit among the two words that follow: ``5 working days`` counts days."""
    tail = _NEXT_WORDS.match(text[end : end + 60])
    for word in (tail[1], tail[2]) if tail else ():
        if word and (unit := named("units").get(word.casefold())):
            return unit
        if not word or is_function_word(word.casefold()):
            break
    return ""


def _currency_before(text: str, start: int) -> str:
    before = text[max(0, start - 2) : start].strip()[-1:]
    return named("units")[before] if before in ("€", "$", "£") else ""


def _word_value(word: str) -> int | None:
    known = valued("numbers")
    if word in known:
        return known[word]
    first, mark, second = word.partition("-")
    tens, ones = known.get(first, 0), known.get(second, 0)
    return tens + ones if mark and tens >= 20 and tens % 10 == 0 and 0 < ones < 10 else None


def _is_pronoun(tokens: Sequence[tuple[str, int, int]], index: int) -> bool:
    """``one`` that counts nothing: at the end, before ``of`` or a verb, after ``the`` or ``no``."""
    following = tokens[index + 1][0] if index + 1 < len(tokens) else ""
    before = tokens[index - 1][0] if index else ""
    beside = listed("no_count_beside")
    return not following or following in beside or before in beside
