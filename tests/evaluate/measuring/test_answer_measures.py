from __future__ import annotations

import dataclasses

import pytest

from ragcli.evaluate.golden_sets.resolving import Resolver
from ragcli.evaluate.measuring.answer_measures import measure_answer
from ragcli.records import Answer, GoldenCase, Judgment
from tests.evaluate.builders import answer, named

CASE = GoldenCase("c", "q", (Judgment("a"), Judgment("b")), answers=("two days", "2 days"))


def values(case: GoldenCase, given: Answer) -> dict[str, float | None]:
    return measure_answer(Resolver(named("a", "b", "z")).judge(case), given)


def test_a_right_answer_with_one_wrong_citation() -> None:
    found = values(CASE, answer("It is two days.", "a#1", "z#1", statuses=("supported", "unsupported")))
    assert found["contains"] == 1.0
    assert found["exact_match"] == 0.0
    assert found["token_f1"] == pytest.approx(2 * 2 / (4 + 2))
    assert found["support_rate"] == 0.5
    assert found["citation_precision"] == 0.5
    assert found["citation_recall"] == 0.5
    assert found["abstention_precision"] is None
    assert found["abstention_recall"] is None
    assert found["false_answers"] is None
    assert found["false_declines"] == 0.0


def test_a_citation_to_what_was_not_sent_is_a_wrong_one() -> None:
    assert values(CASE, answer("two days", "a#1", invalid=("9",)))["citation_precision"] == 0.5


def test_declining_an_answerable_question_scores_zero_and_does_not_vanish() -> None:
    found = values(CASE, answer(None))
    assert (found["contains"], found["exact_match"], found["token_f1"], found["citation_recall"]) == (0, 0, 0, 0)
    assert found["citation_precision"] is None
    assert found["support_rate"] is None
    assert found["abstention_precision"] == 0.0
    assert found["false_declines"] == 1.0


def test_a_question_without_an_answer() -> None:
    case = GoldenCase("c", "q", answerable=False)
    declined, answered = values(case, answer(None)), values(case, answer("Yes.", "a#1"))
    assert (declined["abstention_precision"], declined["abstention_recall"], declined["false_answers"]) == (1, 1, 0)
    assert (answered["abstention_precision"], answered["abstention_recall"], answered["false_answers"]) == (None, 0, 1)
    assert declined["contains"] is None
    assert declined["citation_recall"] is None


def test_every_entry_of_contains_is_needed_and_a_tuple_is_one_of() -> None:
    case = GoldenCase("c", "q", contains=(("two",), ("day", "night")))
    assert values(case, answer("two nights"))["contains"] == 1.0
    assert values(case, answer("two weeks"))["contains"] == 0.0


def test_without_an_expected_answer_there_is_nothing_to_contain() -> None:
    found = values(GoldenCase("c", "q", (Judgment("a"),)), answer("x", "a#1"))
    assert (found["contains"], found["exact_match"], found["token_f1"]) == (None, None, None)


def test_citation_marks_are_not_part_of_the_answer() -> None:
    marked = dataclasses.replace(answer("Two days", "a#1"), text="Two days [1]")
    assert values(CASE, marked)["exact_match"] == 1.0
    assert values(CASE, marked)["token_f1"] == 1.0
