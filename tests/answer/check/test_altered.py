"""Sentences with a true quote beside each, altered or in honest other words: what the check lets through and stops.

``altered.jsonl`` was there before the rules and they were made on it; ``held_out.jsonl`` was written after them. Its
figures when it was first run, before anything was changed: 37 altered, none supported, 28 caught; 30 honest, none
withheld, 4 marked unsupported.
"""

from __future__ import annotations

import functools
from collections import Counter

import pytest

from tests.answer.altered import ALTERED, HELD_OUT, HONEST, Case, cases


@functools.cache
def sentences(name: str) -> tuple[Case, ...]:
    return tuple(cases(name))


@pytest.mark.parametrize(("name", "least", "caught", "wronged"), [(ALTERED, 60, 40, 6), (HELD_OUT, 30, 24, 4)])
def test_what_was_altered_is_caught_and_what_is_honest_is_shown(
    name: str, least: int, caught: int, wronged: int
) -> None:
    altered = [case for case in sentences(name) if case.kind != HONEST]
    honest = [case for case in sentences(name) if case.kind == HONEST]
    assert min(len(altered), len(honest)) >= least
    assert [case.text for case in altered if case.status == "supported"] == []
    assert sum(case.status in ("unsupported", "misattributed") for case in altered) >= caught
    assert [case.text for case in honest if not case.answer.found] == []
    assert sum(case.status == "unsupported" for case in honest) <= wronged


def test_every_kind_is_there_and_none_is_missed_altogether() -> None:
    kinds = Counter(case.kind for case in sentences(ALTERED) if case.kind != HONEST)
    assert len(kinds) >= 15
    shown = [case for case in sentences(ALTERED) if case.kind == "condition"]
    assert all(case.answer.sentences[0].differs.left_out for case in shown)


def test_the_words_that_differ_are_given_for_what_is_in_other_words() -> None:
    for case in (*sentences(ALTERED), *sentences(HELD_OUT)):
        (sentence,) = case.answer.sentences
        if sentence.status == "paraphrase":
            assert sentence.differs.added or sentence.differs.left_out or case.answer.notices, case.text
