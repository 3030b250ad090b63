from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

import pytest

from ragcli.errors import ConfigError
from ragcli.evaluate.golden_sets.file import parse_golden
from ragcli.evaluate.golden_sets.promote import best_quote, promote
from ragcli.records import Chunk, GoldenCase, Judgment, Trace
from tests.evaluate.builders import chunk

TRACE = Trace(
    trace_id="20260301T101500-1a2b3c4d",
    created="2026-03-01T10:15:00+00:00",
    question="and for interns?",
    standalone_question="How many remote days do interns have?",
    index_version="v000001",
    mode="hybrid",
    found=True,
    not_found_reason=None,
    answer="Interns have one day [1].",
    confidence=0.8,
    hits=(("a.md#1", 1.0),),
    passages=("a.md#1",),
    cited=("a.md#1",),
    statuses=("supported",),
    provider="extractive",
    model="m",
    filters=("lang=en",),
    groups=("hr",),
    feedback="good",
)


def chunks(chunk_ids: Sequence[str]) -> list[Chunk]:
    return [chunk(chunk_id, text="Staff have two days. Interns have one day. Ask first.") for chunk_id in chunk_ids]


def promoted(trace: Trace, **more: object) -> GoldenCase:
    row = promote(trace, chunks=chunks, **more)  # type: ignore[arg-type]
    return parse_golden(json.dumps(row), name="g").cases[0]


def test_a_good_answer_becomes_a_quote_anchored_case() -> None:
    case = promoted(TRACE)
    assert case.question == "How many remote days do interns have?"
    assert case.judgments == (Judgment("a.md", quote="Interns have one day."),)
    assert case.answers == ("Interns have one day.",)
    assert (case.filters, case.groups, case.made_by) == (("lang=en",), ("hr",), f"promote:{TRACE.trace_id}")


def test_rightly_declined() -> None:
    declined = dataclasses.replace(TRACE, found=False, cited=(), answer="")
    assert not promoted(declined).answerable


@pytest.mark.parametrize("feedback", ["bad", None])
def test_without_good_feedback_a_person_has_to_say_what_is_right(feedback: str | None) -> None:
    trace = dataclasses.replace(TRACE, feedback=feedback)
    with pytest.raises(ConfigError, match="what would have been right"):
        promoted(trace)
    case = promoted(trace, expect=["b.md#Interns", "c.md#2"])
    assert case.judgments == (Judgment("c.md", chunk=2), Judgment("b.md", heading="Interns"))
    assert case.made_by == f"person:{TRACE.trace_id}"
    assert not promoted(trace, unanswerable=True).answerable


def test_the_quote_is_the_sentence_that_the_answer_repeats_or_resembles() -> None:
    text = "Staff have two days. Interns have one day. Ask first."
    assert best_quote("Yes. Staff have two days. [1]", text) == "Staff have two days."
    assert best_quote("It is one day for interns", text) == "Interns have one day."
    assert best_quote("x", "") == ""
