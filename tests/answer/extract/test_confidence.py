"""Confidence: each sign moves it the way it should, and nothing gives none."""

from __future__ import annotations

import dataclasses

from ragcli.answer.extract.candidates import candidates
from ragcli.answer.extract.confidence import absent, codes, confidence
from ragcli.answer.extract.scoring import ranked
from ragcli.records import Passage
from tests.answer.passages import passage


def _confidence(question: str, *passages: Passage, sims: tuple[float, ...] = (0.8, 0.8)) -> float:
    found = candidates(passages)
    ordered = ranked(question, found, None)
    return confidence(question, [(dataclasses.replace(seen, word_sims=sims), 1.0) for seen, _ in ordered], passages)


def _pair(nearest: float, other: float, text: str = "Parking costs 40 euros.") -> tuple[Passage, Passage]:
    return passage(1, text, "a.md", dense=nearest), passage(2, "The canteen opens at noon.", "b.md", dense=other)


def test_a_nearer_passage_and_one_that_stands_out_are_surer() -> None:
    sure = _confidence("What does parking cost?", *_pair(0.8, 0.4))
    assert sure > _confidence("What does parking cost?", *_pair(0.5, 0.1))
    assert sure > _confidence("What does parking cost?", *_pair(0.8, 0.75))


def test_a_word_that_matches_nothing_counts_against_it() -> None:
    pair = _pair(0.6, 0.3)
    assert _confidence("scooter parking?", *pair, sims=(0.8, 0.1)) < _confidence("parking?", *pair, sims=(0.8, 0.8))


def test_a_code_must_be_the_passages_own() -> None:
    pair = _pair(0.6, 0.3, "E-4012 means that the pipe is not full.")
    right, wrong = (_confidence(f"What does {code} mean?", *pair) for code in ("E-4012", "E-4210"))
    assert right > wrong + 0.1
    assert codes("What does E4012 mean?", pair[0])[0] <= codes("What does E4012 mean?", pair[0])[1]


def test_what_the_passage_does_not_say_counts_against_it() -> None:
    text = "The Rotterdam office has 42 parking spaces. The canteen in Hamburg opens at noon."
    best = candidates((passage(1, text, "a.md", dense=0.6),))[0]
    assert absent("How many parking spaces does the Hamburg office have?", best) == {
        "absent_words": 0.0,
        "unsaid_name": 1.0,
        "unsaid_number": 0.0,
    }
    assert absent("Has the Osaka office spaces?", best)["absent_words"] == 1 / 3
    assert absent("Has the office 300 spaces?", best) | {"absent_words": 0} == {
        "absent_words": 0,
        "unsaid_name": 0.0,
        "unsaid_number": 1.0,
    }
    assert absent("Wie viele Parkplätze hat das Büro?", best)["unsaid_name"] == 0.0
    assert absent("Does Hamburg have a canteen?", best, "The canteen in Hamburg")["unsaid_name"] == 0.0
    pair = _pair(0.6, 0.3, text)
    right, wrong = (_confidence(f"How many spaces has the {city} office?", *pair) for city in ("Rotterdam", "Osaka"))
    assert right > wrong


def test_nothing_ranked_is_no_confidence() -> None:
    assert confidence("?", [], ()) == 0.0


def test_without_vectors_words_decide() -> None:
    near = passage(1, "Parking costs 40 euros.", "a.md")
    far = passage(1, "The canteen opens at noon.", "a.md")
    assert _confidence("What does parking cost?", near, sims=()) > 0.5 > _confidence("parking?", far, sims=())


def test_a_question_without_a_word_that_counts_is_not_answered() -> None:
    pair = _pair(0.9, 0.1)
    assert _confidence("parking", *pair) > 0.0
    assert [_confidence(question, *pair) for question in ("the", "?", "what is it", "")] == [0.0] * 4
