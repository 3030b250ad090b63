"""The format codes of spreadsheets taken apart (ECMA-376, 18.8.30–31): sections, and what each of their signs is."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_.|\*.|\[(?P<bracket>[^\]]*)\]|(?P<general>General)'
    r"|(?P<ampm>AM/PM|A/P|上午/下午)|(?P<exponent>E[+-]0+)|(?P<date>y+|m+|d+|h+|s+|e+|g+|b+)|(?P<digit>[0#?])"
    r"|(?P<text>@)|(?P<other>.)",
    re.I | re.S,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)$")
_ELAPSED = re.compile(r"h+|m+|s+", re.I)
_MARKS = {"literal": "x", "point": ".", "comma": ",", "percent": "%"}
_SIMPLE = re.compile(r"([x%]*)((?:#,)?#*0+)(\.0+)?([x%]*)")


@dataclass(frozen=True, slots=True)
class Part:
    """One token: ``kind`` is literal, digit, point, comma, percent, slash, exponent, date, elapsed, ampm, text or
    general."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class FormatSection:
    """One of the parts of a code between semicolons; each stands in one cache and is itself alone."""

    parts: tuple[Part, ...]
    condition: tuple[str, float] | None
    dated: bool
    general: bool
    texts: bool
    simple: SimpleForm | None


@dataclass(frozen=True, slots=True)
class SimpleForm:
    """A format of one number between signs, such as ``"€"#,##0.00``; most are of this kind."""

    before: str
    least_digits: int
    grouped: bool
    step: Decimal
    decimals: int
    power: int
    after: str


@functools.lru_cache(maxsize=1024)
def sections_of(code: str) -> tuple[FormatSection, ...]:
    """The sections of a code, in order: for positive numbers, negative ones, zero and text, unless they say more."""
    sections: list[FormatSection] = []
    parts: list[Part] = []
    condition: tuple[str, float] | None = None
    for match in _TOKEN.finditer(code):
        if match["other"] == ";":
            sections.append(_section(parts, condition))
            parts, condition = [], None
        elif match["bracket"] is not None:
            found = _CONDITION.match(match["bracket"])
            condition = (found[1], float(found[2])) if found else condition
            if part := _bracket(match["bracket"]):
                parts.append(part)
        elif part := _part(match):
            parts.append(part)
    return (*sections, _section(parts, condition))


def _section(parts: Sequence[Part], condition: tuple[str, float] | None) -> FormatSection:
    parts = _minutes(parts)
    kinds = {part.kind for part in parts}
    dated = bool(kinds & {"date", "elapsed", "ampm"})
    return FormatSection(parts, condition, dated, "general" in kinds, "text" in kinds, _simple(parts))


def _bracket(inside: str) -> Part | None:
    """``[$€-407]`` is a currency, ``[h]`` hours that go on past a day; colours and languages show nothing."""
    if inside.startswith("$"):
        return Part("literal", inside[1:].partition("-")[0])
    return Part("elapsed", inside.lower()) if _ELAPSED.fullmatch(inside) else None


def _part(match: re.Match[str]) -> Part | None:
    if match["quoted"] is not None or match["escaped"] is not None:
        return Part("literal", match["quoted"] if match["quoted"] is not None else match["escaped"])
    for kind in ("general", "ampm", "exponent", "date", "digit", "text"):
        if match[kind]:
            return Part(kind, match[kind].lower() if kind == "date" else match[kind])
    other = match["other"]
    if other is None:
        return Part("literal", " ") if match[0].startswith("_") else None
    return Part({".": "point", ",": "comma", "%": "percent", "/": "slash"}.get(other, "literal"), other)


def _minutes(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Tells minutes (after hours or before seconds) from months; both are written ``m``."""
    timed = [place for place, part in enumerate(parts) if part.kind in ("date", "elapsed")]
    result = list(parts)
    for order, place in enumerate(timed):
        text = parts[place].text
        before = parts[timed[order - 1]].text[0] if order else ""
        after = parts[timed[order + 1]].text[0] if order + 1 < len(timed) else ""
        if text[0] == "m" and len(text) < 3 and parts[place].kind == "date" and (before in ("h",) or after == "s"):
            result[place] = Part("date", "n" * len(text))
    return tuple(result)


def section_for(sections: Sequence[FormatSection], number: float) -> tuple[FormatSection | None, bool]:
    """The section for a number, and whether a minus has to be written before it."""
    if len(sections) == 1 and sections[0].condition is None:
        return sections[0], True
    numeric = [one for one in sections if not one.texts] or list(sections)
    if any(one.condition for one in numeric):
        for place, one in enumerate(numeric):
            if one.condition is None or _holds(number, *one.condition):
                return one, place == 0 or one.condition is None
        return None, True
    if number < 0 and len(numeric) > 1:
        return numeric[1], False
    if number == 0 and len(numeric) > 2:
        return numeric[2], False
    return numeric[0], True


def _holds(number: float, operator: str, limit: float) -> bool:
    return {
        "<": number < limit,
        "<=": number <= limit,
        ">": number > limit,
        ">=": number >= limit,
        "=": number == limit,
        "<>": number != limit,
    }[operator]


def _simple(parts: Sequence[Part]) -> SimpleForm | None:
    """A section as a simple format, None when it is more than that."""
    marks = "".join(part.text if part.kind == "digit" else _MARKS.get(part.kind, "!") for part in parts)
    match = _SIMPLE.fullmatch(marks)
    if match is None:
        return None
    first, last = match.start(2), match.end(3) if match[3] else match.end(2)
    texts = [part.text for part in parts]
    decimals = len(match[3]) - 1 if match[3] else 0
    return SimpleForm(
        "".join(texts[:first]),
        match[2].count("0"),
        "," in match[2],
        Decimal(1).scaleb(-decimals),
        decimals,
        2 * marks.count("%"),
        "".join(texts[last:]),
    )
