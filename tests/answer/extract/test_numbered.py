"""Questions that name a numbered part are answered by that part, not by what refers to it."""

from __future__ import annotations

import pytest

from ragcli.answer.extract.extractive import ExtractiveAnswerer
from ragcli.answer.extract.numbered import named_number
from ragcli.config import AnswerConfig
from tests.answer.passages import passage

DELIVERY = "2.1.1 Delivery takes place within 21 days.\n2.1.2 Late delivery costs 0.5 % a day, as clause 3.2.1 says."
LIABILITY = (
    "3.1.1 The seller is liable for defects.\n3.2.1 Liability is capped at the order value.\n"
    "(iv) Nobody is liable for weather."
)


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("What does clause 3.2.1 say?", "3.2.1"),
        ("What does § 7 say?", "7"),
        ("Was steht in Ziffer 2.1.1?", "2.1.1"),
        ("Que dit l'article 12 ?", "12"),
        ("What does point (iv) say?", "iv"),
        ("Do clauses 3.1 and clause 3.2 agree?", ""),
        ("How many items cost 12 euros?", ""),
    ],
)
def test_the_number_that_is_named(question: str, number: str) -> None:
    assert named_number(question) == number


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does clause 3.2.1 say?", "3.2.1 Liability is capped at the order value."),
        ("What does section 3.2 say?", "3.2.1 Liability is capped at the order value."),
        ("What does point (iv) say?", "(iv) Nobody is liable for weather."),
    ],
)
def test_the_part_itself_is_quoted(question: str, expected: str) -> None:
    answer = ExtractiveAnswerer(AnswerConfig()).generate(question, [passage(1, DELIVERY), passage(2, LIABILITY)])
    assert answer.found
    assert [quote for claim in answer.claims for quote in claim.quotes] == [expected]
