"""Facts: one value whatever the writing; the evidence must state it."""

from __future__ import annotations

import itertools

import pytest

from ragcli.answer.check.reading import Reading
from ragcli.language.facts import facts, missing


def _values(text: str) -> list[tuple[str, frozenset[str], str]]:
    return [(fact.kind, fact.values, fact.unit) for fact in facts(text)]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("in 5 working days", "5", "day"),
        ("in five working days", "5", "day"),
        ("about twenty-five weeks", "25", "week"),
        ("some two hundred thousand", "200000", ""),
        ("costs \u20ac5 million", "5000000", "euro"),
        ("costs US$1,200.50", "1200.5", "dollar"),
        ("sold 10,000 of them", "10000", ""),
        ("sold 10.000 of them", "10000", ""),
        ("sold 10 000 of them", "10000", ""),
        ("rose 15 %", "15", "percent"),
        ("rose 15 percent", "15", "percent"),
        ("waits 30min here", "30", "minute"),
        ("at -5 or so", "-5", ""),
        ("the first of all", "1", ""),
        ("the 1st of all", "1", ""),
        ("dauert f\u00fcnf Tage", "5", "day"),
        ("nur 0,5 Tage", "0.5", "day"),
        ("\u4f11\u66875\u65e5", "5", ""),
    ],
)
def test_numbers(text: str, value: str, unit: str) -> None:
    assert ("number", frozenset({value}), unit) in _values(text)


@pytest.mark.parametrize(
    "text",
    [
        "on 1 March 2026", "on March 1st, 2026", "am 1. M\u00e4rz 2026", "since 2026-03-01", "2026\u5e743\u67081\u65e5",
        "on 2026/3/1", "el 1 de marzo de 2026",
    ],
)  # fmt: skip
def test_dates(text: str) -> None:
    assert _values(text) == [("date", frozenset({"2026-3-1"}), "")]


def test_an_ambiguous_date_has_both_readings() -> None:
    assert _values("on 01/03/2026") == [("date", frozenset({"2026-3-1", "2026-1-3"}), "")]
    assert _values("on 25/03/2026") == [("date", frozenset({"2026-3-25"}), "")]


def test_times_and_codes() -> None:
    assert _values("at 5 p.m. or 10:30") == [("time", frozenset({"17:00"}), ""), ("time", frozenset({"10:30"}), "")]
    kinds = {fact.text: fact.kind for fact in facts("see E-4012, X200-B, v1.2.3, snake_case, NATO and iPhone")}
    assert kinds == dict.fromkeys(["E-4012", "X200-B", "v1.2.3", "snake_case", "NATO", "iPhone"], "code")


def test_one_is_a_number_only_when_it_counts() -> None:
    assert [fact.text for fact in facts("take one day off")] == ["one"]
    assert facts("one of them is the one who can") == []


def test_names_are_capitals_inside_a_sentence() -> None:
    assert [fact.text for fact in facts("Yesterday Anna met Karl's team. Then they left.")] == ["Anna", "Karl's"]


@pytest.mark.parametrize(
    ("sentence", "evidence", "lost"),
    [
        ("within 5 days", "within five days", []),
        ("within 5 weeks", "within five days", ["5"]),
        ("in March 2026", "on 2026-03-01", []),
        ("on 1 March 2026", "in March 2026", ["1 March 2026"]),
        ("error E4012", "error E-4012", []),
        ("error E-4013", "error E-4012", ["E-4013"]),
        ("ask Anna's manager", "the manager of anna", []),
        ("ask Bernd for it", "ask Anna for it", ["Bernd"]),
        ("about 1.5 million", "about 1,500,000", []),
    ],
)
def test_missing(sentence: str, evidence: str, lost: list[str]) -> None:
    reading = Reading.of(evidence)
    assert [fact.text for fact in missing(facts(sentence), reading.facts, reading.vocabulary)] == lost


@pytest.mark.parametrize("part", ["a", "1", "A", "a-", "a.", "1,", "a_", "1 ", "@", "a@"])
def test_one_giant_word_costs_no_minutes(part: str) -> None:
    text = part * (100_000 // len(part))
    found = facts(text)  # hangs here when a pattern tries every letter as a beginning
    assert all(text[fact.start : fact.end] == fact.text for fact in found)
    assert all(first.end <= second.start for first, second in itertools.pairwise(found))
