"""The offline answerer with the packaged model: the sentence that answers, what it needs, and when it declines."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ragcli.answer.check.verify import verify
from ragcli.answer.extract.extractive import ExtractiveAnswerer
from ragcli.config import AnswerConfig, EmbedConfig
from ragcli.embed.loading import load_embedder
from ragcli.interfaces import Embedder
from ragcli.records import Answer, Passage
from tests.answer.passages import passage

HANDBOOK = {
    "refunds.md": "An approved refund is returned to the original payment method within 5 working days. "
    "International refunds take up to 10 working days because of bank processing.",
    "returns.md": "You can return an item within 30 days of delivery if it is unused and in its original packaging. "
    "Return shipping is free for faulty items.",
    "shipping.md": "Orders to Ireland are delivered within 3 to 5 working days. Orders over 50 euros ship free. "
    "Express delivery is not available for Ireland.",
    "remote.md": "Employees may work remotely up to two days per week. Working from Ireland or another EU country is "
    "allowed for up to 20 days per year with approval.",
}


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder(EmbedConfig(threads=1), offline=True)


def _passages(question: str, embedder: Embedder) -> tuple[Passage, ...]:
    texts = list(HANDBOOK.items())
    scores = embedder.passages([text for _, text in texts]) @ embedder.queries([question])[0]
    order = sorted(range(len(texts)), key=lambda index: -scores[index])
    return tuple(
        passage(number, texts[index][1], texts[index][0], dense=float(scores[index]))
        for number, index in enumerate(order, start=1)
    )


def _answer(question: str, passages: Sequence[Passage], embedder: Embedder | None) -> Answer:
    made = ExtractiveAnswerer(AnswerConfig(), embedder).generate(question, passages)
    return verify(made, passages, question=question)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how long does a refund take", "within 5 working days"),
        ("how long do international refunds take", "up to 10 working days"),
        ("how long do I have to return an item?", "within 30 days of delivery"),
        ("how long does delivery to Ireland take", "3 to 5 working days"),
        ("can I work from Ireland?", "20 days per year"),
        ("is express delivery available in Ireland?", "not available for Ireland"),
        ("how many days can I work remotely?", "two days per week"),
    ],
)
def test_answers_with_the_sentence_that_answers(question: str, expected: str, embedder: Embedder) -> None:
    answer = _answer(question, _passages(question, embedder), embedder)
    assert answer.found
    assert expected in answer.sentences[0].text
    assert len(answer.sentences) <= 2
    assert "refund" not in question or len(answer.sentences) == 1
    assert {sentence.status for sentence in answer.sentences} == {"supported"}
    for citation in answer.citations:
        assert citation.span is not None
        assert citation.span.of(HANDBOOK[citation.source]) == citation.quote


@pytest.mark.parametrize("question", ["Does the company pay for a gym?", "Who is the chief executive?", "asdf qwer"])
def test_declines_when_nothing_answers(question: str, embedder: Embedder) -> None:
    answer = _answer(question, _passages(question, embedder), embedder)
    assert not answer.found
    assert answer.not_found_reason == "low_evidence"


def test_the_same_question_gives_the_same_answer(embedder: Embedder) -> None:
    passages = _passages("how long does a refund take", embedder)
    answers = {repr(_answer("how long does a refund take", passages, embedder)) for _ in range(3)}
    assert len(answers) == 1


def test_a_table_row_is_answered_with_its_header(embedder: Embedder) -> None:
    text = "Prices from January:\n\n| Plan | Price per month |\n|---|---|\n| Basic | 10 euros |\n| Team | 25 euros |\n"
    answer = _answer("What is the price of the Team plan?", (passage(1, text, dense=0.7),), embedder)
    assert answer.text == "Plan: Team, Price per month: 25 euros [1]"
    assert answer.sentences[0].status == "supported"
    assert answer.citations[0].quote == "Team | 25 euros"


def test_a_list_item_keeps_its_lead_in(embedder: Embedder) -> None:
    text = "To reset the device you need:\n\n- a paper clip for the small button\n- the recovery code on the box\n"
    answer = _answer("Which code is needed to reset the device?", (passage(1, text, dense=0.7),), embedder)
    assert answer.text.startswith("To reset the device you need: the recovery code on the box")
    assert answer.sentences[0].status == "supported"


def test_a_pronoun_brings_the_sentence_before(embedder: Embedder) -> None:
    text = "The X200 is our smallest pump. It moves 40 litres per minute."
    answer = _answer("How many litres does the X200 pump move per minute?", (passage(1, text, dense=0.7),), embedder)
    assert [sentence.text for sentence in answer.sentences] == [
        "The X200 is our smallest pump.",
        "It moves 40 litres per minute.",
    ]


def test_without_a_model_it_goes_by_words() -> None:
    passages = (passage(1, HANDBOOK["returns.md"], dense=0.6), passage(2, HANDBOOK["refunds.md"], dense=0.4))
    made = ExtractiveAnswerer(AnswerConfig(min_confidence=0.0)).generate("how long can I return an item?", passages)
    assert "30 days" in made.claims[0].text
    assert made.model == "words"


def test_no_passages_no_candidates(embedder: Embedder) -> None:
    made = ExtractiveAnswerer(AnswerConfig(), embedder).generate("anything", ())
    assert (made.found, made.not_found_reason) == (False, "no_candidates")


def test_a_denial_in_the_words_of_the_question_answers_it() -> None:
    passages = (passage(1, "Alcohol is not reimbursed. First-class travel is reimbursed only above three hours."),)
    answer = ExtractiveAnswerer(AnswerConfig(min_confidence=0.0)).generate("Is alcohol reimbursed?", passages)
    assert answer.claims[0].text == "Alcohol is not reimbursed."
