"""What the small words say about a statement: how many, whether it must or may be, from or up to what, how often.

Each function reads a text into values that two texts can be compared by; none judges. The words are the lexicon's.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from ragcli.language.lexicon import any_of, any_word, listed, named
from ragcli.language.numbers import Number
from ragcli.language.patterns import pattern

_DUAL = {"obliged": "allowed", "allowed": "obliged"}
"""What is not obligatory is allowed, what is not allowed is obligatory not to be done."""
_DENIAL = pattern(lambda: rf"\b{any_of('negators')}\b|n['\u2019]t\b", re.IGNORECASE)
_DENIED_BEFORE = pattern(lambda: rf"(?:\b{any_of('negators')}|n['\u2019]t)\s+(?:\w+\s+)?\Z", re.IGNORECASE)
_DENIED_AFTER = pattern(lambda: rf"\s*(?:n['\u2019]t\b|(?:\s\w+)?\s+{any_of('negators')}\b)", re.IGNORECASE)
_IMPLICIT = pattern(
    lambda: rf"\b(?:{any_of('implicit_denials')}|un(?!der|til|it|ion|ivers|e)[a-z]{{4,}}|[a-z]{{3,}}less)\b",
    re.IGNORECASE,
)
_EXCLUSIVE = pattern(lambda: rf"\b{any_of('exclusives')}\b", re.IGNORECASE)
_RATE = pattern(
    lambda: (
        rf"\b{any_of('per')}\s+({any_word(_rate_words())})\b"
        rf"|\b(?:{any_word(named('units'))}|once|twice|times|\d[\d.,]*)\s+{any_of('per_article')}\s+({any_word(_rate_words())})\b"
        rf"|\b({any_of('rate_adverbs')})\b"
    ),
    re.IGNORECASE,
)
_NOT_A_QUANTIFIER = pattern(r"\b(?:at all|at most|after all|the most|in any case|above all|all right)\b", re.IGNORECASE)


def _rate_words() -> frozenset[str]:
    return frozenset(named("rate_units"))


@functools.cache
def _words(kind: str) -> re.Pattern[str]:
    return pattern(lambda: rf"\b{any_word(named(kind))}\b", re.IGNORECASE)


def _named(kind: str, text: str) -> Iterator[tuple[str, int, int]]:
    """The name of each group of ``kind`` that the text has a word of, with the place of the word."""
    for match in _words(kind).finditer(text):
        yield named(kind)[re.sub(r"\s+", " ", match.group().casefold())], match.start(), match.end()


def quantifiers(text: str) -> frozenset[str]:
    """``all``, ``most``, ``half``, ``some``, ``few``: of how many something is said."""
    said = _NOT_A_QUANTIFIER.sub(" ", text)
    denied = frozenset(name for name, start, _ in _named("quantifiers", said) if _DENIED_BEFORE.search(said[:start]))
    return frozenset(name for name, _, _ in _named("quantifiers", said)) - denied


def modalities(text: str) -> frozenset[str]:
    """``obliged``, ``advised``, ``allowed``; under a negation the other one (``need not`` is ``allowed``)."""
    found = set()
    for name, start, end in _named("modalities", text):
        denied = _DENIED_BEFORE.search(text[max(0, start - 30) : start]) or _DENIED_AFTER.match(text, end)
        found.add(_DUAL.get(name, name) if denied or text[start:end].casefold() == "cannot" else name)
    return frozenset(found)


def bound(text: str, number: Number) -> str:
    """``lower`` when the number is the least, ``upper`` when it is the most, ``""`` when it is said plainly."""
    before, after = text[max(0, number.start - 40) : number.start], text[number.end : number.end + 40]
    found = ""
    for name, _, end in _named("bounds_before", before):
        if not before[end:].strip(" $€£-"):
            found = name
    for name, start, _ in _named("bounds_after", after):
        if len(after[:start].split()) <= 2 and not re.search(r"[.,;]", after[:start]):
            found = found or name
    return found


def rates(text: str) -> frozenset[str]:
    """The units of time that something is said for each of: ``twice a day``, ``per month``, ``weekly``."""
    return frozenset(
        named("rate_units")[word.casefold()] for match in _RATE.finditer(text) for word in match.groups() if word
    )


def without_bounds(text: str) -> str:
    """The text with its bounds (``no more than``) blanked out, of the same length: their ``no`` denies nothing."""
    blanked = list(text)
    for kind in ("bounds_before", "bounds_after"):
        for _, start, end in _named(kind, text):
            if _DENIAL.search(text, start, end):
                blanked[start:end] = " " * (end - start)
    return "".join(blanked)


def denies(text: str) -> bool:
    """Whether a word of the text denies something."""
    return _DENIAL.search(text) is not None


def denies_implicitly(text: str) -> bool:
    """Whether a word means a denial that others would write with ``not``: ``excluded``, ``only``, ``free``."""
    return _IMPLICIT.search(text) is not None


def exclusives(text: str) -> Sequence[tuple[int, int]]:
    """Where the text says ``only``."""
    return [match.span() for match in _EXCLUSIVE.finditer(text)]


def is_telling(folded: str) -> bool:
    """Whether a word without a meaning of its own changes what a sentence says: ``if``, ``not``, ``may``, ``only``."""
    kinds = ("negators", "conditions_said", "exclusives", "bound_words")
    return (
        any(folded in listed(kind) for kind in kinds)
        or folded in named("quantifiers")
        or folded in named("modalities")
        or folded.endswith(("n't", "n\u2019t"))
    )
