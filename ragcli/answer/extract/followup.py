"""A follow-up question as one that can stand alone, by rule: what it leaves out is taken from the one before. Pure.

``and for interns?`` after ``How many remote days can employees take?`` becomes ``How many remote days can employees
take for interns?``; ``how long does it last?`` after ``What is the probation period?`` asks about that period.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragcli.language.words import listed, words

_OPENING = re.compile(
    r"^\s*(?:(?:and|but|or|also|then|so|ok(?:ay)?|und|aber|et|mais|y|pero)\b[\s,]*)+"
    r"|^\s*(?:what|how)\s+about\s+|^\s*(?:was ist mit|und was ist mit|qu'en est-il de|y qué tal)\s+",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\b(?:what|how)\s+about\b|\bwas ist mit\b|\bqu'en est-il\b|\bqué tal\b", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"^(?:for|in|at|on|with|without|from|to|by|after|before|during|as|of|per|für|bei|mit|ohne|nach|vor|pour|avec|sans|para|con|sin)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|they|them|that|this|those|these|he|she|him|her|there|one)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"\b(?:its|their|his|her)\b(?=\s+\w)", re.IGNORECASE)
_ASKS = re.compile(
    r"^\W*(?:who|whom|whose|what|when|where|why|which|how|is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have"
    r"|wer|wen|was|wann|wo|warum|welche[rsmn]?|wie|ist|sind|kann|darf|muss|qui|que|quand|où|pourquoi|comment|quel(?:le)?s?"
    r"|qué|quién|cuándo|dónde|cómo|cuál(?:es)?)\b",
    re.IGNORECASE,
)


_AFTER_VERB = re.compile(
    r"\b(?:is|are|was|were|do|does|did|can|could|will|would|should|must|may|has|have)\s+(?:that|this|it|they|those|these)\b",
    re.IGNORECASE,
)
_DUMMY = re.compile(
    r"\b(?:is|are|was|were|will|would|can|could)\s+(?:there|it\s+possible)\b|\b(?:does|did|will)\s+it\s+(?:take|cost)\s+to\b",
    re.IGNORECASE,
)
_DETERMINER = re.compile(r"\b(?:this|that|these|those|one)\s+(?=[^\W\d_]{3,})", re.IGNORECASE)
_CONJUNCTION = re.compile(r"(?<=\w )\b(?:that|one)\b", re.IGNORECASE)
_COMMON_VERBS = listed(
    "take takes get gets need needs use uses apply applies cost costs last lasts work works pay pays mean means happen"
)


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
        if not word.is_content or word.folded in _COMMON_VERBS or word.text.isdigit():
            run, end = "", -1
            continue
        gap = question[end : word.start] if end >= 0 else ""
        run = f"{run}{gap}{word.text}" if run and not gap.strip() else word.text
        end = word.end
        best = run if len(run.split()) > len(best.split()) else best
    return best
