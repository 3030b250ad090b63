from __future__ import annotations

import re
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.evaluate.measuring.compare import contains, exact_match, normalised, token_f1, tokens


def squad(text: str) -> str:
    """SQuAD v1.1's own normalisation, step by step."""
    lowered = text.lower()
    unpunctuated = "".join(c for c in lowered if c not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", unpunctuated).split())


def squad_f1(answer: str, gold: str) -> float:
    given, wanted = squad(answer).split(), squad(gold).split()
    shared = sum((Counter(given) & Counter(wanted)).values())
    if not given or not wanted:
        return float(given == wanted)
    precision, recall = shared / len(given), shared / len(wanted)
    return 2 * precision * recall / (precision + recall) if shared else 0.0


ENGLISH = st.text(st.sampled_from("the a an TWO days, 1.5% (ok) it's U.S. - x"), max_size=40)


@given(ENGLISH, ENGLISH)
def test_english_is_compared_exactly_as_squad_does(one: str, other: str) -> None:
    assert normalised(one) == squad(one)
    assert token_f1(one, [other]) == pytest.approx(squad_f1(one, other), abs=1e-12)
    assert exact_match(one, [other]) == float(squad(one) == squad(other))


def test_the_best_accepted_answer_counts() -> None:
    assert token_f1("two days a week", ["three", "two days"]) == pytest.approx(2 * 2 / (3 + 2) * 1.0)
    assert exact_match("The two days.", ["nothing", "two days"]) == 1.0


def test_scripts_without_spaces_are_counted_by_character() -> None:
    assert tokens("梅雨は、長い。") == ["梅", "雨", "は", "長", "い"]
    assert token_f1("梅雨", ["梅雨"]) == 1.0


def test_marks_of_other_scripts_are_kept() -> None:
    assert normalised("ल्यूक कुएक्ली।") == "ल्यूक कुएक्ली"


@pytest.mark.parametrize(
    ("answer", "wanted", "expected"),
    [
        ("Limited to Two  Days.", "two days", True),
        ("a two-day trip", "two day", True),
        ("you are reimbursed", "reimburs", True),
        ("up to 100 days", "10", False),
        ("up to 10,000 euros", "10", False),
        ("up to 10000 euros", "10,000", True),
        ("10.5 percent", "10", False),
        ("it costs 418.00 euros", "418", True),
        ("es kostet 418,00.", "418", True),
        ("418.005", "418", False),
        ("3.10 is out", "10", False),
        ("version 3.10.", "3.10", True),
        ("ends at 10.", "10", True),
        ("error E-4012 means", "E-4012", True),
        ("it doesn\u2019t", "doesn't", True),
        ("12人です", "12人", True),
        ("anything", "...", False),
        ("", "two", False),
    ],
)
def test_contains_ignores_typography_and_keeps_numbers_whole(answer: str, wanted: str, expected: bool) -> None:
    assert contains(answer, wanted) is expected


def test_contains_whole_words() -> None:
    assert not contains("the party", "art", whole=True)
    assert contains("the party", "art")
    assert contains("modern art.", "art", whole=True)
    assert contains("梅雨は長い", "梅雨", whole=True)
