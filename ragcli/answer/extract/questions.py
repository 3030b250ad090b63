"""What a question asks for, by rule: the kind of fact an answer must hold, and whether one passage can hold it."""

from __future__ import annotations

import functools
import re
from typing import Literal

from ragcli.language.facts import Fact, facts
from ragcli.language.lexicon import entries, expressions
from ragcli.language.patterns import pattern
from ragcli.language.words import content_stems, words

Wanted = Literal["number", "duration", "money", "date", "person", "place", "list", "steps", "definition", "any"]

UNTOLD = ("any", "list", "steps", "definition")
"""The kinds of which no single fact in a sentence tells that it answers."""

_AGGREGATE = pattern(lambda: expressions("aggregates"), re.IGNORECASE)
AGGREGATE_NOTICE = (
    "this looks like a count, sum or comparison over the whole collection: passages are a sample of it, not a query "
    "(rag search QUESTION -k 50 lists the documents to go through)"
)


def wanted(question: str) -> Wanted:
    """The kind of fact the question asks for; ``any`` when no rule says."""
    return next((kind for kind, asks in _rules() if asks.search(question)), "any")


@functools.cache
def _rules() -> tuple[tuple[Wanted, re.Pattern[str]], ...]:
    """The rules of every language in turn: the kind asked for, and what a question for it looks like."""
    return tuple((kind, pattern(asks, re.IGNORECASE)) for rules in entries("asks") for kind, asks in rules)


def is_aggregate(question: str) -> bool:
    """Whether the answer is a count, sum or comparison over documents rather than something one passage says."""
    return bool(_AGGREGATE.search(question))


_FRAMES = pattern(lambda: expressions("frames"), re.IGNORECASE)


def asked_stems(question: str) -> set[str]:
    """Stems of the question's own subject: its content words without those of its frame (``how long does … take``)."""
    stems = content_stems(question)
    frame = {
        word.stem for match in _FRAMES.finditer(question) for part in match.groups() if part for word in words(part)
    }
    return (stems - frame) or stems or {word.stem for word in words(question)}


_DURATIONS = frozenset({"second", "minute", "hour", "day", "week", "month", "quarter", "year"})


def offers(kind: Wanted, text: str, question_stems: frozenset[str] | set[str]) -> bool:
    """Whether ``text`` holds a fact of the wanted kind that the question did not bring along; True for ``any``."""
    if kind in UNTOLD:
        return True
    return any(_fits(kind, fact) for fact in facts(text) if not _is_old(fact, question_stems)) or (
        kind in ("person", "place") and _has_new_capital(text, question_stems)
    )


def _fits(kind: Wanted, fact: Fact) -> bool:
    if kind == "number":
        return fact.kind == "number"
    if kind == "duration":
        return (fact.kind == "number" and fact.unit in _DURATIONS) or fact.kind == "time"
    if kind == "money":
        return fact.kind == "number" and fact.unit in ("euro", "dollar", "pound", "percent", "")
    if kind == "date":
        return fact.kind in ("date", "time") or (fact.kind == "number" and _is_year_or_time(fact))
    return fact.kind in ("name", "code")


def _is_year_or_time(fact: Fact) -> bool:
    if fact.unit in _DURATIONS:
        return True
    return any(value.isdigit() and 1000 <= int(value) <= 2100 for value in fact.values)


def _is_old(fact: Fact, question_stems: frozenset[str] | set[str]) -> bool:
    return all(word.stem in question_stems for word in words(fact.text)) if question_stems else False


def _has_new_capital(text: str, question_stems: frozenset[str] | set[str]) -> bool:
    return any(word.text[:1].isupper() and word.is_content and word.stem not in question_stems for word in words(text))
