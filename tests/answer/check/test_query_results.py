"""A query's result as a passage: what an answer may say of it, and the rows that are cited in its place."""

from __future__ import annotations

import pytest

from ragcli.answer.check.verify import verify
from ragcli.records import Chunk, Claim, Passage, Span, Underlying
from tests.answer.passages import completion, passage

TEXT = "| Item | Price |\n|---|---|\n| Mouse | 24.90 |\n| Laptop | 1299.00 |\n"
RESULT = "| category | total |\n| --- | --- |\n| Hardware | 1323.9 |\n| Furniture | 350 |\n"
MOUSE, LAPTOP = TEXT.index("| Mouse"), TEXT.index("| Laptop")
CHUNK = Chunk("prices.md#1", "prices.md", 1, Span(10, 10 + len(TEXT)), TEXT, title="Prices", first_line=3, last_line=6)
DESK = Chunk("desks.csv#1", "desks.csv", 1, Span(0, 5), "Desk\n", title="Desks")


def result(*rows: Underlying) -> Passage:
    chunk = Chunk("query#2", "query", 2, Span(0, len(RESULT)), RESULT, title="")
    return Passage(2, chunk, RESULT, chunk.span, "query: SELECT 1", query="SELECT 1", rows=rows)


def line(words: str) -> Span:
    start = RESULT.index(words)
    return Span(start, RESULT.index("\n", start))


ROWS = (
    Underlying(line("| Hardware"), CHUNK, "prices.md", Span(MOUSE, LAPTOP - 1), "2026-01-01"),
    Underlying(line("| Hardware"), CHUNK, "prices.md", Span(LAPTOP, len(TEXT) - 1), "2026-01-01"),
    Underlying(line("| Furniture"), DESK, "desks.csv", None),
)
PASSAGES = (passage(1, "Nothing of interest."), result(*ROWS))


def test_the_rows_behind_the_quoted_line_are_cited() -> None:
    claim = Claim("Hardware: 1323.9 in total.", ("2",), ("| Hardware | 1323.9 |",))
    answer = verify(completion(claim), PASSAGES, question="?")
    assert [sentence.status for sentence in answer.sentences] == ["paraphrase"]
    assert [(one.source, one.quote, one.lines, one.span) for one in answer.citations] == [
        ("prices.md", "| Mouse | 24.90 |", (5, 5), Span(10 + MOUSE, 10 + LAPTOP - 1)),
        ("prices.md", "| Laptop | 1299.00 |", (6, 6), Span(10 + LAPTOP, 10 + len(TEXT) - 1)),
    ]
    assert answer.citations[0].effective_date == "2026-01-01"
    assert answer.passages == ("hr/policy.md#1", "prices.md#1", "desks.csv#1")


def test_what_stands_word_for_word_in_a_result_stands_in_no_document() -> None:
    claim = Claim("| Furniture | 350 |", ("2",), ("| Furniture | 350 |",))
    answer = verify(completion(claim), PASSAGES, question="?")
    assert [sentence.status for sentence in answer.sentences] == ["paraphrase"]
    assert [(one.source, one.quote, one.span) for one in answer.citations] == [("desks.csv", "", None)]


@pytest.mark.parametrize("quote", ["", "words that stand nowhere"])
def test_without_a_quote_all_rows_are_cited_up_to_five(quote: str) -> None:
    many = tuple(
        Underlying(line("| Hardware"), CHUNK, "prices.md", Span(at, at + 3)) for at in range(MOUSE, MOUSE + 14, 2)
    )
    claim = Claim("Hardware: 1323.9 in total.", ("2",), (quote,) if quote else ())
    answer = verify(completion(claim), (PASSAGES[0], result(*many)), question="?")
    assert len(many) == 7
    assert [one.quote for one in answer.citations] == [one.span.of(TEXT) for one in many[:5] if one.span]


def test_another_figure_than_the_result_has_no_support() -> None:
    claim = Claim("Hardware: 9999 in total.", ("2",), ("| Hardware | 1323.9 |",))
    answer = verify(completion(claim), PASSAGES, question="?")
    assert (answer.found, answer.not_found_reason) == (False, "all_unsupported")


def test_a_result_of_no_row_is_cited_by_its_query_alone() -> None:
    claim = Claim("Hardware: 1323.9 in total.", ("2",), ("| Hardware | 1323.9 |",))
    answer = verify(completion(claim), (result(),), question="?")
    assert (answer.found, answer.citations, answer.passages) == (True, (), ())
    assert answer.text == "Hardware: 1323.9 in total."
