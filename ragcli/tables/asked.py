"""What a question asks of a table, by rule: a count, a sum, a mean or an extreme, nothing beyond one of them. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ragcli.language.lexicon import any_word, expressions, listed, named
from ragcli.language.patterns import pattern
from ragcli.language.words import Word, words

Operation = Literal["count", "sum", "mean", "max", "min"]

_COUNTS = pattern(lambda: expressions("counts"), re.IGNORECASE)
_SUMS = pattern(lambda: expressions("sums"), re.IGNORECASE)
_MEANS = pattern(lambda: expressions("means"), re.IGNORECASE)
_MAXIMA = pattern(lambda: rf"\b{any_word(named('maxima'))}\b", re.IGNORECASE)
_MINIMA = pattern(lambda: rf"\b{any_word(named('minima'))}\b", re.IGNORECASE)
_BEYOND = pattern(lambda: rf"\b{any_word(listed('beyond_one_query'))}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AskedOperation:
    """One operation, and the words of the question that are left to say of what.

    ``kind`` is the kind of column that an extreme speaks of by itself (``price`` for *cheapest*), else ``any``.
    ``sums_too`` is set for a count that may be a sum: *how many … in total*.
    """

    operation: Operation
    kind: str
    words: tuple[Word, ...]
    sums_too: bool = False


def asked(question: str) -> AskedOperation | None:
    """What the question asks for; None when that is no single operation, or one under conditions."""
    found: dict[Operation, list[re.Match[str]]] = {
        "count": list(_COUNTS.finditer(question)),
        "sum": list(_SUMS.finditer(question)),
        "mean": list(_MEANS.finditer(question)),
        "max": list(_MAXIMA.finditer(question)),
        "min": list(_MINIMA.finditer(question)),
    }
    asked_for = [operation for operation, matches in found.items() if matches]
    sums_too = asked_for == ["count", "sum"]
    if sums_too:
        asked_for = ["count"]
    if len(asked_for) != 1 or len(found[asked_for[0]]) > 1:
        return None
    taken = [match for matches in found.values() for match in matches]
    if any(not _inside(match.start(), taken) for match in _BEYOND.finditer(question)):
        return None
    operation = asked_for[0]
    kind = "any"
    if operation in ("max", "min"):
        said = " ".join(found[operation][0].group().casefold().split())
        kinds = named("maxima" if operation == "max" else "minima")
        kind = next(name for word, name in kinds.items() if word.casefold() == said)
    left = tuple(word for word in words(question) if not _inside(word.start, taken))
    return AskedOperation(operation, kind, left, sums_too)


def _inside(place: int, matches: list[re.Match[str]]) -> bool:
    return any(match.start() <= place < match.end() for match in matches)
