"""Verification: ids, quotes and facts, for every status of the contract."""

from __future__ import annotations

import pytest

from ragcli.answer.check.verify import verify
from ragcli.records import Answer, Claim, Span
from tests.answer.passages import completion, passage

REFUND = "An approved refund is returned to the original payment method within 5 working days."
INTERNATIONAL = "International refunds take up to 10 working days because of bank processing."
REMOTE = "Employees may work remotely up to two days per week, but not on Mondays."
PASSAGES = (
    passage(1, f"# Refunds\n\n{REFUND}\n{INTERNATIONAL}", "refunds.md", start=100, first_line=7),
    passage(2, REMOTE, "hr/remote.md", date="2026-03-01"),
)


def _verify(*claims: Claim) -> Answer:
    return verify(completion(*claims), PASSAGES, question="?")


def _status(text: str, cited: tuple[str, ...] = ("1",), quotes: tuple[str, ...] = ()) -> str:
    return _verify(Claim(text, cited, quotes)).sentences[0].status


def test_a_quote_that_stands_is_placed_and_other_words_are_shown() -> None:
    answer = _verify(Claim("Refunds arrive within five working days.", ("1",), ("within 5 working days",)))
    assert answer.found
    assert answer.text == "Refunds arrive within five working days [1]."
    assert answer.sentences[0].status == "paraphrase"
    assert answer.sentences[0].differs.added == ("arrive",)
    citation = answer.citations[0]
    assert citation.quote == "within 5 working days"
    document = " " * 100 + PASSAGES[0].text
    assert citation.span is not None
    assert citation.span.of(document) == "within 5 working days"
    assert citation.lines == (9, 9)


@pytest.mark.parametrize(
    ("text", "quotes", "status"),
    [
        (REFUND, (REFUND,), "supported"),
        (REFUND, (), "supported"),
        ("Approved refunds are returned within 5 working days.", (), "paraphrase"),
        ("Refunds arrive within 6 working days.", ("within 5 working days",), "unsupported"),
        ("Refunds arrive within 5 working weeks.", ("within 5 working days",), "unsupported"),
        ("Refunds arrive within 5 working days at Acme.", ("within 5 working days",), "unsupported"),
        (REFUND.replace("within 5", "within 6"), (REFUND,), "unsupported"),
        (REFUND.replace("is returned", "is not returned"), (REFUND,), "unsupported"),
        (INTERNATIONAL.replace("up to 10", "up to ten"), (INTERNATIONAL,), "supported"),
        ("Refunds take 5 working days.", ("International refunds take up to 10 working days",), "paraphrase"),
        ("The chief executive is a lizard.", ("within 5 working days",), "unsupported"),
        ("The chief executive is a lizard.", (), "unsupported"),
        ("Refunds arrive within 5 working days.", ("within five working days flat",), "paraphrase"),
    ],
)
def test_status_of_a_cited_sentence(text: str, quotes: tuple[str, ...], status: str) -> None:
    assert _status(text, ("1",), quotes) == status


def test_an_exception_left_out_is_shown_and_does_not_flip_the_rest() -> None:
    answer = _verify(Claim("Employees may work remotely up to two days per week.", ("2",), (REMOTE,)))
    assert answer.sentences[0].status == "paraphrase"
    assert answer.sentences[0].differs.left_out == ("but not on Mondays",)
    assert _status("Employees may work remotely on Mondays.", ("2",), (REMOTE,)) == "unsupported"


def test_a_negation_cut_off_a_quote_is_noticed() -> None:
    one = (passage(1, "Smoking is not allowed in the building."),)
    answer = verify(
        completion(Claim("allowed in the building", ("1",), ("allowed in the building",))), one, question="?"
    )
    assert answer.sentences[0].status == "unsupported"


def test_misattributed_names_the_place() -> None:
    answer = _verify(Claim("You may work remotely two days per week.", ("1",), ("up to two days per week",)))
    assert answer.sentences[0].status == "misattributed"
    assert answer.citations[0].span is None
    assert "passage 2" in answer.notices[0]


def test_an_id_that_was_not_sent_is_never_a_citation() -> None:
    answer = _verify(Claim(REFUND, ("1", "9"), (REFUND, "x")), Claim(REMOTE, ("2",), (REMOTE,)))
    assert answer.invalid_citations == ("9",)
    assert [sentence.status for sentence in answer.sentences] == ["supported", "supported"]
    assert answer.text.startswith(REFUND[:-1])
    assert {citation.chunk_id for citation in answer.citations} <= {item.chunk.chunk_id for item in PASSAGES}


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Refunds arrive within 6 working days.", "within 5 working days"),  # a figure that stands nowhere
        ("The chief executive is a lizard.", "within 5 working days"),  # nothing of it stands there
    ],
)
def test_one_sentence_against_the_figures_or_about_nothing_is_withheld(text: str, quote: str) -> None:
    assert not _verify(Claim(text, ("1",), (quote,))).found


def test_one_sentence_that_a_rule_doubts_is_marked_and_shown() -> None:
    answer = _verify(Claim("Refunds to the payment method are never returned.", ("1",), (REFUND,)))
    assert answer.sentences[0].status == "unsupported"
    assert answer.found
    assert answer.notices


def test_a_fragment_of_a_sentence_is_not_the_sentence() -> None:
    one = (passage(1, "Pets are allowed if the neighbours agree; fish are always welcome. However, snakes are not."),)

    def status(text: str) -> str:
        return verify(completion(Claim(text, ("1",), (text,))), one, question="?").sentences[0].status

    assert status("Pets are allowed") == "paraphrase"
    assert status("Pets are allowed if the neighbours agree.") == "supported"
    assert status("Fish are always welcome.") == "supported"
    assert status("Snakes are not.") == "supported"


@pytest.mark.parametrize("name", ["0", "-1", "1.0", "refunds.md#1", "", "\u0661", "1 2", "10"])
def test_odd_ids_are_invalid(name: str) -> None:
    answer = _verify(Claim(REFUND, (name,), (REFUND,)))
    assert answer.invalid_citations == (name,)
    assert answer.citations == ()
    assert not answer.found
    assert answer.not_found_reason == "all_unsupported"


@pytest.mark.parametrize("name", ["1", "[1]", " 01 ", "passage 1", "P1"])
def test_ids_as_models_write_them(name: str) -> None:
    assert _verify(Claim(REFUND, (name,), (REFUND,))).citations[0].chunk_id == "refunds.md#1"


def test_uncited_is_marked_not_withheld_when_a_passage_carries_it() -> None:
    answer = _verify(Claim(REFUND))
    assert answer.found
    assert answer.sentences[0].status == "uncited"
    assert answer.text == REFUND
    assert not _verify(Claim("The chief executive is a lizard.")).found


def test_one_bad_sentence_is_marked_and_the_rest_stays() -> None:
    answer = _verify(Claim(REFUND, ("1",), (REFUND,)), Claim("It takes 99 days.", ("1",), ("99 days",)))
    assert answer.found
    assert [sentence.status for sentence in answer.sentences] == ["supported", "unsupported"]
    assert "99" in answer.notices[0]


def test_declined() -> None:
    answer = verify(completion(found=False), PASSAGES, question="?")
    assert (answer.found, answer.not_found_reason, answer.text) == (False, "model_declined", "")


def test_numbers_citations_by_quote_in_order_of_use() -> None:
    answer = _verify(
        Claim(REMOTE, ("2",), (REMOTE,)),
        Claim(REFUND, ("1",), (REFUND,)),
        Claim(f"Yes: {REMOTE}", ("2",), (REMOTE,)),
    )
    assert [sentence.citations for sentence in answer.sentences] == [(1,), (2,), (1,)]
    assert [citation.source for citation in answer.citations] == ["hr/remote.md", "refunds.md"]
    assert answer.citations[0].effective_date == "2026-03-01"


def test_ocr_passages_forgive_misread_letters() -> None:
    scanned = "An apprcved refund is retumed to the original payment method within 5 working days."
    claim = completion(Claim(REFUND, ("1",), (REFUND,)))
    assert verify(claim, (passage(1, scanned, ocr=True),), question="?").citations[0].span == Span(0, len(scanned) - 1)
    assert verify(claim, (passage(1, scanned),), question="?").sentences[0].status != "supported"


def test_conflicting_dated_sources_are_pointed_out() -> None:
    old = passage(2, "Employees may work remotely up to three days per week.", "hr/remote-2024.md", date="2024-01-01")
    new = passage(1, "Employees may work remotely up to two days per week.", "hr/remote.md", date="2026-03-01")
    answer = verify(completion(Claim(new.text, ("1",), (new.text,))), (new, old), question="?")
    assert len(answer.notices) == 1
    assert "hr/remote-2024.md (2024-01-01)" in answer.notices[0]
    assert "three days" in answer.notices[0]
    same = verify(
        completion(Claim(new.text, ("1",), (new.text,))), (new, passage(2, REFUND, "refunds.md")), question="?"
    )
    assert same.notices == ()


TABLE = "| Product | Action | Price (EUR) | Weeks |\n|---|---|---|---|\n| X200-B | not sold, send back | 418.00 | 3 |\n"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Product: X200-B, Action: not sold, send back, Price (EUR): 418.00, Weeks: 3", "supported"),
        ("Product: X200-B, Action: not sold, send back, Price (EUR): 3, Weeks: 418.00", "unsupported"),
        ("Product: X200-B, Action: sold, send back, Price (EUR): 418.00, Weeks: 3", "unsupported"),
    ],
)
def test_a_row_is_checked_as_it_is_read_aloud(text: str, status: str) -> None:
    row = "| X200-B | not sold, send back | 418.00 | 3 |"
    answer = verify(completion(Claim(text, ("1",), (row,))), (passage(1, TABLE),), question="?")
    assert answer.sentences[0].status == status
