"""A sentence with most words of a question that answers another one is told by what stands in the place of a word."""

from __future__ import annotations

import dataclasses

import pytest

from ragcli.answer.extract.candidates import candidates
from ragcli.answer.extract.confidence import confidence
from ragcli.answer.extract.focus import speaks_of_another
from ragcli.answer.extract.scoring import ranked
from tests.answer.passages import passage

BREAD = "# Rye bread\n\nBake rye bread for 55 minutes."
LEAVE = "Employees have 27 days of annual leave a year."
PASSPORT = "My passport expires on 17 August 2031."


def beside(question: str, text: str, sims: tuple[float, ...] = (), title: str = "Notes") -> str:
    """What the last sentence of a text speaks of in the place of what is asked."""
    return speaks_of_another(question, candidates((passage(1, text, "notes.md", title=title),))[-1], "", sims)


@pytest.mark.parametrize(
    ("question", "text", "instead"),
    [
        ("How long does white bread bake?", BREAD, "rye bread"),
        ("When does my driving licence expire?", PASSPORT, "passport expire"),
        ("How many days of annual leave do contractors have?", LEAVE, "contractors have"),
        ("Who is the tenant of the flat?", "The tenant of garage 14 is Niels Brandt.", "tenant of flat"),
        ("When does the lease of the flat end?", "The lease ends in June, at the end of the month.", "lease of flat"),
        ("What makes a password weak?", "Strong passwords are long. Passwords change.", "Strong passwords"),
        ("When is Tomas's birthday?", "Tomas is a sound engineer.", "Tomas's birthday"),
        ("Can dogs be left in the boathouse?", "Bicycles may not be left in the boathouse.", "dogs left"),
        ("How do I drain the boiler?", "To drain the showers, close the tap.", "drain the showers"),
        ("How do I uninstall the program?", "Install the program with pipx.", "install"),
        ("When is the office closed?", "The office is open from eight on.", "The office is open from eight on."),
        ("Who is the chairman of the club?", "The club has a secretary.", "chairman"),
        ("Does Django scale?", "## Is Django stable?\n\nYes, it is.", "Yes to Is Django stable?"),
        ("What is the role of Ann?", "phone: 0151 496", "phone: 0151 496"),
        ("What is the default of retry_minutes?", "The default of warn_minutes is 90.", "retry_minutes"),
    ],
)
def test_what_is_said_in_the_place_of_what_is_asked(question: str, text: str, instead: str) -> None:
    assert beside(question, text) == instead


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How long does rye bread bake?", BREAD),
        ("How long does bread bake?", BREAD),
        ("What is the greatest flow of the pump?", "The pump has a full flow of 20 litres."),
        ("When does my passport expire?", PASSPORT),
        ("How many days of annual leave do employees have?", LEAVE),
        ("How many days of annual leave do emploeyes have?", LEAVE),
        ("Who is the tenant of the garage?", "The garage is old. The tenant is Niels Brandt."),
        ("Can bicycles be left in the boathouse?", "Bicycles may not be left in the boathouse."),
        ("How do I drain the shower?", "To drain the showers, close the tap."),
        ("Who is the secretary of the club?", "The club has a secretary."),
        ("Is Django quite stable, yes?", "## Is Django stable?\n\nYes, it is quite stable."),
        ("Does Django scale?", "## Is Django stable?\n\nIt is stable."),
        ("What is Ann's phone number?", "phone: 0151 496"),
        ("What kind of music do they play?", "They play folk."),
        ("What makes a password strong?", "Strong passwords are long. Passwords change."),
        ("When is Tomas's birthday?", "Tomas was born in May. His birthday is on the ninth."),
        ("When did this leader publish a Bible?", "Lefevre published his Bible in 1523."),
    ],
)
def test_what_is_asked_is_what_is_said(question: str, text: str) -> None:
    assert beside(question, text) == ""


def test_a_word_that_the_model_finds_near_is_said() -> None:
    assert beside("How long does white bread bake?", BREAD, (0.2, 0.9, 0.9)) == "rye bread"
    assert beside("How long does white bread bake?", BREAD, (0.6, 0.9, 0.9)) == ""


def test_a_deed_is_judged_only_where_there_is_a_model() -> None:
    question, text = "How do I descale the machine?", "Switch the machine off and put the sign on it."
    assert beside(question, text, (0.2, 0.9)) == "descale"
    assert beside(question, text, (0.4, 0.9)) == ""
    assert beside(question, text) == ""


def test_the_word_in_which_a_question_ends_is_near_to_something() -> None:
    text = "Anselm cannot lift boats since 2023."
    assert beside("When did Anselm join?", text, (0.9, 0.1)) == "join"
    assert beside("When did Anselm join?", text, (0.9, 0.25)) == ""
    assert beside("When did Anselm join?", "Anselm joined in 2011.", (0.9, 0.1)) == ""
    assert beside("When did Anselm join?", text) == ""
    assert beside("How long does Anselm work?", text, (0.9, 0.1)) == ""


def test_who_asks_about_themselves_is_not_the_person_a_note_is_about() -> None:
    question = "What am I allergic to?"
    assert beside(question, "Allergic to hazelnuts.", title="Maya Lindqvist") == "Maya Lindqvist"
    assert beside(question, "I am allergic to hazelnuts.", title="Maya Lindqvist") == ""
    assert beside(question, "Allergic to hazelnuts.", title="Allergies") == ""
    assert beside("When do I get my leave?", "Annual leave is granted in May.", title="Annual Leave") == ""
    assert beside("What is Maya allergic to?", "Allergic to hazelnuts.", title="Maya Lindqvist") == ""


def test_what_speaks_of_another_is_not_sure() -> None:
    def sure(question: str) -> float:
        passages = (passage(1, BREAD, "a.md", dense=0.5), passage(2, "The canteen opens at noon.", "b.md", dense=0.4))
        seen = ranked(question, candidates(passages), None)
        return confidence(
            question, [(dataclasses.replace(one, word_sims=(0.4,) * 3), 1.0) for one, _ in seen], passages
        )

    assert sure("How long does white bread bake?") < 0.5 < sure("How long does rye bread bake?")
