"""A follow-up question as one that can stand alone, by rule: what it leaves out is taken from the one before. Pure.

``and for interns?`` after ``How many remote days can employees take?`` becomes ``How many remote days can employees
take for interns?``; ``how long does it last?`` after ``What is the probation period?`` asks about that period.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragcli.language.lexicon import any_of, listed
from ragcli.language.patterns import pattern
from ragcli.language.words import words

_OPENING = pattern(
    lambda: rf"^\s*(?:{any_of('openings')}\b[\s,]*)+(?:{any_of('what_about')}\s+)?|^\s*{any_of('what_about')}\s+",
    re.IGNORECASE,
)
_ABOUT = pattern(lambda: rf"\b{any_of('what_about')}\b", re.IGNORECASE)
_PREPOSITION = pattern(lambda: rf"^{any_of('prepositions')}\b", re.IGNORECASE)
_PRONOUN = pattern(lambda: rf"\b{any_of('pronouns')}\b", re.IGNORECASE)
_POSSESSIVE = pattern(lambda: rf"\b{any_of('possessives')}\b(?=\s+\w)", re.IGNORECASE)
_ASKS = pattern(lambda: rf"^\W*{any_of('question_words')}\b", re.IGNORECASE)
_AFTER_VERB = pattern(lambda: rf"\b{any_of('auxiliaries')}\s+(?:it|they|{any_of('demonstratives')})\b", re.IGNORECASE)
_DUMMY = pattern(lambda: rf"\b{any_of('dummy_subjects')}\b", re.IGNORECASE)
_DETERMINER = pattern(lambda: rf"\b{any_of('demonstratives')}\s+(?=[^\W\d_]{{3,}})", re.IGNORECASE)
_CONJUNCTION = pattern(r"(?<=\w )\b(?:that|one)\b", re.IGNORECASE)


def is_follow_up(question: str) -> bool:
    """Whether the question leaves out what it is about."""
    stripped = _OPENING.sub("", question, count=1).strip()
    if _ABOUT.search(question) or _PREPOSITION.match(stripped):
        return True
    if not _ASKS.match(stripped):
        return stripped != question.strip() or sum(word.is_content for word in words(stripped)) <= 2
    return bool(_PRONOUN.search(_without_dummies(stripped)) or _POSSESSIVE.search(stripped))


def standalone(question: str, earlier: Sequence[str]) -> str:
    """``question`` so that it can be understood without the ``earlier`` ones (standalone themselves, oldest first)."""
    question = question.strip()
    if not earlier or not is_follow_up(question):
        return question
    before = earlier[-1].strip()
    rest = _OPENING.sub("", question, count=1).strip().rstrip("?？ ")
    if not rest:
        return before
    if _ASKS.match(rest):
        return _resolved(rest, before) + "?"
    if _PREPOSITION.match(rest):
        return _with_phrase(before, rest)
    return _with_phrase(before, f"for {rest}")


def _without_dummies(question: str) -> str:
    """Without the words that look like pronouns and point to nothing: ``is there``, ``does it take``, ``that one``."""
    if _AFTER_VERB.search(question) and not _DUMMY.search(question):
        return question
    plain = _DETERMINER.sub("", _DUMMY.sub("", question))
    return plain if plain.rstrip("?？ ").casefold().endswith("that") else _CONJUNCTION.sub("", plain)


def _with_phrase(before: str, phrase: str) -> str:
    """The question before with a phrase in the place of one with the same preposition, else at its end."""
    body = before.rstrip("?？ ")
    first = phrase.split()[0].casefold()
    found = re.search(rf"\b{re.escape(first)}\s+(?:[\w-]+\s+)?[\w-]+\s*$", body, re.IGNORECASE)
    if found and _PREPOSITION.match(phrase):
        body = body[: found.start()].rstrip()
    return f"{body} {phrase}?"


def _resolved(rest: str, before: str) -> str:
    """Pronouns replaced by what the question before was about."""
    topic = subject(before)
    if not topic:
        return rest
    replaced, count = _POSSESSIVE.subn(f"{topic}'s", rest, count=1)
    if not count:
        replaced, count = _PRONOUN.subn(topic, rest, count=1)
    return replaced if count else f"{rest} ({topic})"


def subject(question: str) -> str:
    """The longest run of neighbouring content words: what a question is about. The first of equals."""
    best, run = "", ""
    end = -1
    for word in words(question):
        if not word.is_content or word.folded in listed("common_verbs") or word.text.isdigit():
            run, end = "", -1
            continue
        gap = question[end : word.start] if end >= 0 else ""
        run = f"{run}{gap}{word.text}" if run and not gap.strip() else word.text
        end = word.end
        best = run if len(run.split()) > len(best.split()) else best
    return best
