"""Follow-ups made standalone, and questions that ask several things taken apart."""

from __future__ import annotations

import pytest

from ragcli.answer.extract.decompose import PartwiseAnswerer, parts
from ragcli.answer.extract.followup import EarlierQuestion, is_follow_up, meanings, standalone, subject
from ragcli.records import Claim, Completion, Usage

DAYS = "How many remote days per week can employees take?"


@pytest.mark.parametrize(
    ("question", "earlier", "expected"),
    [
        ("and for interns?", DAYS, "How many remote days per week can employees take for interns?"),
        ("what about interns?", DAYS, "How many remote days per week can employees take for interns?"),
        ("And in Germany?", DAYS, "How many remote days per week can employees take in Germany?"),
        ("interns?", DAYS, "How many remote days per week can employees take for interns?"),
        ("who approves it?", DAYS, "who approves remote days?"),
        ("how long does it last?", "What is the probation period?", "how long does probation period last?"),
        (
            "and for part-time staff?",
            "How many holidays are there for full-time staff?",
            "How many holidays are there for part-time staff?",
        ),
        ("What is the notice period?", DAYS, "What is the notice period?"),
        ("Is there a limit for hotels?", DAYS, "Is there a limit for hotels?"),
        ("How long does it take to get a refund?", DAYS, "How long does it take to get a refund?"),
    ],
)
def test_standalone(question: str, earlier: str, expected: str) -> None:
    assert standalone(question, [earlier]) == expected


def _readings(question: str, before: str, source: str = "") -> list[tuple[str, str]]:
    return [(one.question, one.source) for one in meanings(question, [EarlierQuestion(before, source)])]


def test_a_code_or_name_takes_the_place_of_the_one_before() -> None:
    assert _readings("What about E-4120?", "What does E-4012 mean?") == [("What does E-4120 mean?", "")]
    assert _readings("And Premium?", "What does the Plus plan cost?") == [("What does the Premium plan cost?", "")]
    assert _readings("And to Norway?", "How long do orders to Ireland take?") == [
        ("How long do orders to Norway take?", "")
    ]


def test_one_course_takes_the_place_of_another() -> None:
    read = _readings("And for the safety course?", "When is the security course due?")
    assert read[0] == ("When is the safety course due?", "")


def test_a_question_is_about_what_an_article_or_its_like_stands_before() -> None:
    assert subject("How do I hand in my notice?") == "notice"
    assert subject("How many remote days per week can employees take?") == "remote days"
    assert _readings("Who confirms it?", "How do I hand in my notice?") == [("Who confirms notice?", "")]


def test_where_a_rule_cannot_know_there_are_several_readings() -> None:
    before = "How many days may contractors work off site?"
    assert _readings("interns?", before, "hr/a.md") == [
        ("How many days may contractors work off site for interns?", ""),
        ("How many days may interns work off site?", ""),
        ("interns?", "hr/a.md"),
    ]
    assert [one.about for one in meanings("interns?", [EarlierQuestion(before)])] == [{"intern"}, {"intern"}]
    assert _readings("During probation?", "What is the notice period after two years?") == [
        ("What is the notice period During probation?", ""),
        ("What is the notice period after two years During probation?", ""),
    ]


def test_a_short_question_may_be_of_its_own_or_about_the_document_before() -> None:
    assert _readings("Is there a fee?", DAYS, "a.md") == [("Is there a fee?", ""), ("Is there a fee?", "a.md")]
    assert _readings("Is there a fee?", DAYS) == [("Is there a fee?", "")]
    assert _readings("What is the price of the X200?", DAYS, "a.md") == [("What is the price of the X200?", "")]
    assert _readings("For how long?", "Can I work abroad?") == [("Can I work abroad For how long?", "")]
    assert _readings("How many days?", "Is it deducted?") == [("Is it deducted How many days?", "")]


@pytest.mark.parametrize("said", ["yes", "Thanks!", "ok, thank you", "ja, danke", "no"])
def test_what_asks_nothing_is_left_as_it_is(said: str) -> None:
    assert _readings(said, DAYS, "a.md") == [(said, "")]


def test_the_first_question_stays_as_it_is() -> None:
    assert standalone("and for interns?", []) == "and for interns?"
    assert not is_follow_up(DAYS)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "How long is parental leave and who approves it?",
            ("How long is parental leave?", "who approves parental leave?"),
        ),
        ("What is the difference between the Basic and Team plan?", ("Basic plan", "Team plan")),
        ("Compare sick leave with parental leave", ("sick leave", "parental leave")),
        ("What is the notice period? And how do I resign?", ("What is the notice period?", "how do I resign?")),
        ("Which is heavier: the X200 or the G7?", ("Which is heavier: the X200?", "Which is heavier: the G7?")),
        ("Who may work from home and abroad?", ("Who may work from home and abroad?",)),
        (DAYS, (DAYS,)),
        ("Notice period of Alder and Birch?", ("Notice period of Alder?", "Notice period of Birch?")),
        ("Are A-1, B-2 and C-3 open?", ("Are A-1 open?", "Are B-2 open?", "Are C-3 open?")),
        ("Are both Alder and Birch open?", ("Are Alder open?", "Are Birch open?")),
        (
            "What is the notice period for interns and contractors?",
            ("What is the notice period for interns?", "What is the notice period for contractors?"),
        ),
        ("Compare the warranty of X200 and G7", ("warranty of X200", "warranty of G7")),
        ("Who approves travel and hotel costs?", ("Who approves travel and hotel costs?",)),
        (
            "Wie lang ist die Frist von Anna und Bernd?",
            ("Wie lang ist die Frist von Anna?", "Wie lang ist die Frist von Bernd?"),
        ),
    ],
)
def test_parts(question: str, expected: tuple[str, ...]) -> None:
    assert parts(question) == expected


class _Scripted:
    def __init__(self, made: list[Completion]) -> None:
        self.made = made

    def generate(self, question: str, passages: object) -> Completion:
        return self.made.pop(0)


def test_names_that_stand_together_in_a_text_are_one_name() -> None:
    assert parts("What did Marks and Spencer sell?", ["In 1990 Marks  and\nSpencer sold tea."]) == (
        "What did Marks and Spencer sell?",
    )
    assert len(parts("What did Marks and Spencer sell?", ["Spencer and Marks"])) == 2


def test_the_answers_to_the_parts_are_put_together_once() -> None:
    one = Completion(True, (Claim("A.", ("1",)), Claim("B.", ("1",))), "x", "m", Usage(1, 1), 0.9)
    two = Completion(True, (Claim("B.", ("1",)),), "x", "m", Usage(2, 2), 0.7)
    none = Completion(False, (), "x", "m", Usage(), 0.1, "low_evidence")
    made = PartwiseAnswerer(_Scripted([one, two, none])).generate("Which of A1, B2 and C3?", ())
    assert [claim.text for claim in made.claims] == ["A.", "B."]
    assert (made.found, made.confidence, made.usage) == (True, 0.7, Usage(3, 3))
    assert made.unanswered == ("Which of C3?",)
    made = PartwiseAnswerer(_Scripted([none, none])).generate("Which of A1 and B2?", ())
    assert (made.found, made.not_found_reason, made.confidence) == (False, "low_evidence", 0.1)
