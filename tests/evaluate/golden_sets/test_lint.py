from __future__ import annotations

from collections.abc import Sequence

import pytest

from ragcli.evaluate.golden_sets.lint import KINDS, lint
from ragcli.evaluate.golden_sets.resolving import Resolver
from ragcli.records import GoldenCase, Judgment
from tests.evaluate.builders import chunked, corpus, document

A = document("a.md", "Remote work is limited to two days.")
B = document("b.md", "Holidays are thirty days.")
CORPUS = corpus((A, chunked(A, 22)), (B, chunked(B)))


def findings(*cases: GoldenCase, answers: str | None = None) -> list[tuple[str, str]]:
    judged = [Resolver(CORPUS).judge(case) for case in cases]
    found = lint(judged, texts=lambda doc_id: CORPUS.texts[doc_id].text, answers=lambda case: answers)
    assert {item.kind for item in found} <= set(KINDS)
    return [(item.kind, item.case_id) for item in found]


def case(case_id: str, question: str = "", **more: object) -> GoldenCase:
    settings: dict[str, object] = {"judgments": (Judgment("a.md"),)} | more
    return GoldenCase(case_id, question or f"question {case_id}", **settings)  # type: ignore[arg-type]


def test_a_sound_case_has_no_finding() -> None:
    assert findings(case("1", contains=(("two days", "2 days"),))) == []


@pytest.mark.parametrize(
    ("kind", "faulty"),
    [
        ("label_not_in_corpus", case("1", judgments=(Judgment("gone.md"),))),
        ("label_not_in_corpus", case("1", judgments=(Judgment("a.md", chunk=7),))),
        ("label_not_in_text", case("1", judgments=(Judgment("a.md", quote="three days"),))),
        ("label_cut", case("1", judgments=(Judgment("a.md", quote="limited to two"),))),
        ("nothing_expected", case("1", judgments=())),
        ("one_source", case("1", tags=("Multi-Hop",))),
        ("answer_not_in_source", case("1", contains=(("thirty",),))),
        ("from_retriever", case("1", made_by="promote:20260101")),
        ("draft", case("1", made_by="draft:model")),
    ],
)
def test_each_fault_alone(kind: str, faulty: GoldenCase) -> None:
    assert findings(faulty) == [(kind, "1")]


def test_a_multi_hop_case_with_two_sources_is_sound() -> None:
    both = (Judgment("a.md"), Judgment("b.md"))
    assert findings(case("1", judgments=both, tags=("multi-hop",))) == []


def test_an_unanswerable_case_is_tried_on_the_pipeline() -> None:
    nothing = case("1", judgments=(), answerable=False)
    assert findings(nothing) == []
    assert findings(nothing, answers="Two days.") == [("answerable_after_all", "1")]
    assert findings(case("1"), answers="Two days.") == []


def test_the_same_question_twice_under_the_same_filters() -> None:
    def named(first: str, second: str, **more: object) -> Sequence[tuple[str, str]]:
        return findings(case("1", first), case("2", second, **more))

    assert named("How many days?", "how many DAYS") == [("duplicate", "2")]
    assert named("How many days?", "How many weeks?") == []
    assert named("How many days?", "How many days?", groups=("hr",)) == []
