"""Facts that code can compare: numbers with their units, dates, times, codes and names, whatever way they are written.

``facts`` reads them from a text, each with every value it may stand for (``01/03/2026`` is two dates, ``5`` and
``five`` one number). ``missing`` says which facts of a sentence an evidence text does not state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ragcli.language.dates import dates, states_date, times
from ragcli.language.lexicon import valued
from ragcli.language.numbers import UNIT_SUFFIX, figures, spelled
from ragcli.language.patterns import pattern
from ragcli.language.stems import stem
from ragcli.language.words import LETTERS, fold, is_function_word

FactKind = Literal["number", "date", "time", "code", "name"]


@dataclass(frozen=True, slots=True)
class Fact:
    """``values`` are the canonical readings; ``unit`` is what a number counts, ``""`` when it does not say."""

    kind: FactKind
    text: str
    values: frozenset[str]
    start: int
    end: int
    unit: str = ""


_CODE = pattern(
    r"(?:https?://|www\.)[^\s<>()\[\]]*[\w/]"
    r"|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w])v?\d+(?:\.\d+){2,}(?![\w])"
    r"|(?<![\w-])(?=[\w./-]{0,200}[A-Za-z_])(?=[\w./-]{0,200}[\d_])[A-Za-z0-9_]+(?:[./-][A-Za-z0-9_]+)*(?![\w])"
    r"|(?<![\w])[A-Z]{2,}(?:-[A-Z0-9]+)*(?![\w])"
    r"|(?<![\w])[A-Za-z]*[a-z][A-Z][A-Za-z]*(?![\w])"
)


def facts(text: str) -> list[Fact]:
    """Every fact of ``text``, in order; they do not overlap (a date is not also three numbers)."""
    found: list[Fact] = []
    taken = bytearray(len(text))
    for fact in _in_order_of_claim(text):
        if not any(taken[fact.start : fact.end]):
            found.append(fact)
            taken[fact.start : fact.end] = b"\1" * (fact.end - fact.start)
    return sorted(found, key=lambda fact: (fact.start, fact.end))


def _in_order_of_claim(text: str) -> Iterator[Fact]:
    for match, readings in dates(text):
        yield Fact("date", match.group(), readings, match.start(), match.end())
    for match, time in times(text):
        yield Fact("time", match.group(), frozenset({time}), match.start(), match.end())
    for match in _CODE.finditer(text):
        if not UNIT_SUFFIX.fullmatch(match.group()):
            value = re.sub(r"[-_/]", "", match.group().casefold())
            yield Fact("code", match.group(), frozenset({f"code:{value}"}), match.start(), match.end())
    for number in (*figures(text), *spelled(text)):
        yield Fact("number", text[number.start : number.end], number.values, number.start, number.end, number.unit)
    yield from _names(text)


def _names(text: str) -> Iterator[Fact]:
    """Capitalised words inside a sentence. The first word of a sentence is capitalised anyway and proves nothing."""
    for match in LETTERS.finditer(text):
        word = match.group()
        if not word[0].isupper() or _opens_sentence(text, match.start()):
            continue
        folded = fold(word)
        if not is_function_word(folded) and folded not in valued("numbers"):
            yield Fact("name", word, frozenset({folded}), match.start(), match.end())


def _opens_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 20) : start].rstrip(" \t\u00a0\"'\u201c\u2018\u00ab(*_#>-[")
    return not before or before[-1] in ".!?:;\n|\u2022"


def missing(wanted: Iterable[Fact], evidence: Sequence[Fact], vocabulary: frozenset[str]) -> list[Fact]:
    """The facts of ``wanted`` that the evidence does not state; names are looked up in its folded words and stems."""
    return [fact for fact in wanted if not states(evidence, vocabulary, fact)]


def states(evidence: Sequence[Fact], vocabulary: frozenset[str], fact: Fact) -> bool:
    """Whether the evidence states ``fact``, with the same unit where both give one."""
    if fact.kind == "name":
        folded = next(iter(fact.values))
        return folded in vocabulary or stem(folded) in vocabulary
    if fact.kind == "date":
        given = [value for other in evidence if other.kind == "date" for value in other.values]
        return any(states_date(value, other) for value in fact.values for other in given)
    return any(
        fact.values & other.values and (not fact.unit or not other.unit or fact.unit == other.unit)
        for other in evidence
    )
