"""A text read once for comparison: its words, its facts, and both together as tokens in order."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from ragcli.language.facts import Fact, facts
from ragcli.language.lexicon import listed
from ragcli.language.numbers import Number, figures, spelled
from ragcli.language.words import Word, words

_VALUED = ("number", "date", "time")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, or a number, date or time as one; ``key`` and ``stem`` are what it is compared by."""

    text: str
    key: str
    stem: str
    start: int
    end: int
    is_content: bool
    is_fact: bool = False


@dataclass(frozen=True)
class Reading:
    """A text read once. ``content`` are its words with a meaning of their own, those of numbers and dates left out."""

    text: str
    words: tuple[Word, ...]
    content: tuple[Word, ...]
    facts: tuple[Fact, ...]
    vocabulary: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Reading:
        """Reads ``text``."""
        found = tuple(words(text))
        parts = {part for word in found for part in re.split(r"[-/_.']", word.folded)}
        vocabulary = {word.folded for word in found} | {word.stem for word in found} | parts
        stated = facts(text)
        valued = [(fact.start, fact.end) for fact in stated if fact.kind in _VALUED]
        content = tuple(
            word
            for word in found
            if word.is_content and not any(start < word.end and word.start < end for start, end in valued)
        )
        return cls(text, found, content, tuple(stated), frozenset(vocabulary))

    @functools.cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Words and valued facts in order, without articles."""
        valued = [fact for fact in self.facts if fact.kind in _VALUED]
        found = [
            Token(fact.text, _fact_key(fact), _fact_key(fact), fact.start, fact.end, True, True) for fact in valued
        ]
        found += [
            Token(word.text, word.folded, word.stem, word.start, word.end, word.is_content)
            for word in self.words
            if word.folded not in listed("articles")
            and not any(fact.start < word.end and word.start < fact.end for fact in valued)
        ]
        return tuple(sorted(found, key=lambda token: (token.start, token.end)))

    @functools.cached_property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers of the text with their places."""
        return (*figures(self.text), *spelled(self.text))

    @functools.cached_property
    def stems(self) -> frozenset[str]:
        """Stems of the words that carry meaning, and the keys of numbers and dates."""
        return frozenset(token.stem for token in self.tokens if token.is_content)


def _fact_key(fact: Fact) -> str:
    return f"={min(fact.values)}" if fact.values else f"={fact.text}"


def carries(vocabulary: frozenset[str], word: Word) -> bool:
    """Whether a word stands in the vocabulary in some inflection, a compound also part by part."""
    if word.folded in vocabulary or word.stem in vocabulary:
        return True
    parts = [part for part in re.split(r"[-/_.']", word.folded) if part]
    return len(parts) > 1 and all(part in vocabulary for part in parts)


def coverage(claim: Reading, evidence: Reading) -> float:
    """Share of the claim's content words that the evidence has in some inflection; 1.0 when it has none of its own."""
    if not claim.content:
        return 1.0
    return sum(carries(evidence.vocabulary, word) for word in claim.content) / len(claim.content)
