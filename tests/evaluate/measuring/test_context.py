from __future__ import annotations

import pytest

from ragcli.evaluate.golden_sets.resolving import Resolver
from ragcli.evaluate.measuring.context import ContextPiece, measure_context
from ragcli.records import GoldenCase, Judgment, Span
from tests.evaluate.builders import chunked, corpus, document, named


def test_recall_counts_the_characters_of_the_evidence_once() -> None:
    doc = document("a", "0123456789" * 3)
    where = corpus((doc, chunked(doc, 10, 20)))
    evidence = (Judgment("a", quote="56789012345678901234"),)  # characters 5 to 25
    judged = Resolver(where).judge(GoldenCase("c", "q", (Judgment("a"),), evidence))
    pieces = [
        ContextPiece("x#1", "x", Span(5, 25)),
        ContextPiece("a#2", "a", Span(10, 20)),
        ContextPiece("a#9", "a", Span(12, 22)),
    ]
    assert measure_context(judged, pieces)["context_recall"] == pytest.approx(12 / 20)
    whole = measure_context(judged, [ContextPiece("a#1", "a", Span(0, 30))])
    assert whole == {"context_recall": 1.0, "context_precision": 1.0}


def test_precision_rewards_relevant_passages_that_come_early() -> None:
    judged = Resolver(named("a", "b", "z")).judge(GoldenCase("c", "q", (Judgment("a"), Judgment("b"))))
    pieces = [ContextPiece(f"{doc}#1", doc, Span(0, 9)) for doc in ("z", "a", "z", "b")]
    found = measure_context(judged, pieces)
    assert found["context_precision"] == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert found["context_recall"] == 1.0
    assert measure_context(judged, pieces[:2])["context_recall"] == 0.5
    assert measure_context(judged, []) == {"context_precision": 0.0, "context_recall": 0.0}


def test_a_case_without_a_label_has_no_context_measure() -> None:
    judged = Resolver(named("a")).judge(GoldenCase("c", "q", answerable=False))
    assert measure_context(judged, []) == {"context_precision": None, "context_recall": None}
