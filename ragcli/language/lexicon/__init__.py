"""The words that rules go by, a data file for each language: what they are is written nowhere else.

A file holds kinds of words. A list of strings is a list of words with white space between them and ``_`` for a space
inside one (``in_case_of``); an object gives each word a value (``numbers``) or each value its words (``units``);
``asks``, ``frames`` and ``aggregates`` hold regular expressions, and ``und.json`` what is written in any language.
Every question is asked of all languages together, since a short text does not tell which it is in.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "de", "fr", "es", "ja", "zh", "und")


@functools.cache
def lexicon(language: str) -> dict[str, Any]:
    """All that the file of ``language`` holds."""
    content: dict[str, Any] = json.loads(Path(__file__).with_name(f"{language}.json").read_text(encoding="utf-8"))
    return content


def entries(kind: str) -> Iterator[Any]:
    """What each language that has it says of ``kind``, English first."""
    return (lexicon(language)[kind] for language in LANGUAGES if kind in lexicon(language))


@functools.cache
def listed(kind: str, language: str | None = None) -> frozenset[str]:
    """The words of a kind, of one language or of all."""
    lists = entries(kind) if language is None else [lexicon(language)[kind]]
    return frozenset(word for lines in lists for line in lines for word in spelled_out(line))


def spelled_out(line: str) -> list[str]:
    """The words of one line of a file."""
    return [word.replace("_", " ") for word in line.split()]


@functools.cache
def valued(kind: str) -> dict[str, int]:
    """The words of a kind with the number each means."""
    return {word: value for table in entries(kind) for word, value in table.items()}


@functools.cache
def named(kind: str) -> dict[str, str]:
    """The words of a kind with the name of the group each is in: ``days`` is in ``day``."""
    return {word: name for table in entries(kind) for name, line in table.items() for word in spelled_out(line)}


@functools.cache
def months() -> dict[str, int]:
    """The names of the months, from 1."""
    return {
        word: number
        for names in entries("months")
        for number, line in enumerate(names, start=1)
        for word in spelled_out(line)
    }


@functools.cache
def opposites() -> frozenset[frozenset[str]]:
    """Pairs of words of which one denies the other."""
    return frozenset(frozenset(pair.split("/")) for pair in listed("opposites"))


@functools.cache
def contrasts() -> dict[str, frozenset[str]]:
    """Each word that has opposites with them: more pairs than ``opposites``, of words that also stand beside each
    other without a contradiction (``in`` and ``out``), for texts of which one is nearly the other."""
    found: dict[str, set[str]] = {}
    for pair in (*opposites(), *(frozenset(pair.split("/")) for pair in listed("contrasts"))):
        for word in pair:
            found.setdefault(word, set()).update(pair - {word})
    return {word: frozenset(others) for word, others in found.items()}


def expressions(kind: str) -> str:
    """The regular expressions of a kind as one."""
    return "|".join(expression for lines in entries(kind) for expression in lines)


def any_of(*kinds: str) -> str:
    """A regular expression for any word of the kinds, the longest first, to be put between its boundaries."""
    return any_word({word for kind in kinds for word in listed(kind)})


def any_word(words: Iterable[str]) -> str:
    """``any_of`` for words at hand."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return "(?:" + "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in ordered) + ")"
