"""The stage that lost a case, one test per stage, each with a ranking that can be read."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from ragcli.config import Config
from ragcli.evaluate.golden_sets.labels import Judged
from ragcli.evaluate.golden_sets.resolving import Resolver
from ragcli.evaluate.losses import STAGES, CasePath, final_ranking, find_loss, legs_to_try
from ragcli.evaluate.measuring.context import ContextPiece
from ragcli.records import Answer, GoldenCase, Judgment, Retrieval, Span
from tests.evaluate.builders import answer, chunked, corpus, document, named, ranking, retrieval

OTHERS = ["x#1", "x#2", "x#3"]
CASE = GoldenCase("c", "q", (Judgment("a"),), contains=(("two days",),))


def judged(case: GoldenCase = CASE) -> Judged:
    return Resolver(named("a", "b", "x")).judge(case)


def pieces(*chunk_ids: str) -> tuple[ContextPiece, ...]:
    return tuple(ContextPiece(chunk_id, chunk_id.rpartition("#")[0], Span(0, 5)) for chunk_id in chunk_ids)


def lost(
    found: Retrieval,
    *,
    case: Judged | None = None,
    sent: Sequence[str] | None = None,
    given: Answer | None = None,
    **more: object,
) -> str | None:
    context = pieces(*(sent if sent is not None else [hit.chunk.chunk_id for hit in found.hits]))
    loss = find_loss(CasePath(case or judged(), found, context, given, **more))  # type: ignore[arg-type]
    return loss.stage if loss else None


def test_a_passage_that_reached_the_context_is_not_lost() -> None:
    assert lost(retrieval([*OTHERS, "a#1"])) is None


def test_a_case_that_expects_nothing_of_retrieval_is_not_lost_there() -> None:
    assert lost(retrieval(OTHERS), case=judged(GoldenCase("c", "q"))) is None


def test_not_in_the_corpus() -> None:
    assert lost(retrieval(OTHERS), case=judged(GoldenCase("c", "q", (Judgment("gone"),)))) == "not_in_corpus"


def test_not_in_the_parsed_text_and_cut_by_chunking() -> None:
    doc = document("a", "Remote work is limited to two days.")
    where = Resolver(corpus((doc, chunked(doc, 22))))
    dropped = where.judge(GoldenCase("c", "q", (Judgment("a", quote="three days"),)))
    cut = where.judge(GoldenCase("c", "q", (Judgment("a", quote="limited to two"),)))
    assert lost(retrieval(OTHERS), case=dropped) == "not_in_text"
    assert lost(retrieval(["a#1", "a#2"]), case=cut) == "cut_by_chunking"


def test_a_parent_passage_around_a_cut_quote_mends_it() -> None:
    doc = document("a", "Remote work is limited to two days.")
    cut = Resolver(corpus((doc, chunked(doc, 22)))).judge(
        GoldenCase("c", "q", (Judgment("a", quote="limited to two"),))
    )
    assert find_loss(CasePath(cut, retrieval(["a#1"]), [ContextPiece("a#1", "a", Span(0, 35))])) is None


def test_filtered() -> None:
    assert lost(retrieval(OTHERS), allowed=lambda doc_id: doc_id != "a") == "filtered"


def test_truncated_only_when_the_candidates_lack_it() -> None:
    found = retrieval(OTHERS, bm25=OTHERS, dense=OTHERS)
    assert lost(found, truncated=lambda unit: True) == "truncated"
    deeper = retrieval(OTHERS, bm25=[*OTHERS, "a#1"], dense=OTHERS, fused=[*OTHERS, "a#1"])
    assert lost(deeper, truncated=lambda unit: True) == "k"


def test_below_the_candidates_of_both_legs() -> None:
    assert lost(retrieval(OTHERS, bm25=OTHERS, dense=OTHERS)) == "candidates"


@pytest.mark.parametrize(("off", "other"), [("bm25", "dense"), ("dense", "bm25")])
def test_a_leg_that_is_off_or_empty(off: str, other: str) -> None:
    assert lost(retrieval(OTHERS, **{other: OTHERS})) == off  # type: ignore[arg-type]
    assert lost(retrieval(OTHERS, **{other: OTHERS, off: []})) == off  # type: ignore[arg-type]


def test_a_leg_that_is_off_is_blamed_when_it_alone_would_have_found_the_passage() -> None:
    found = retrieval(OTHERS, dense=[*OTHERS, "a#1"], fused=[*OTHERS, "a#1"])
    assert lost(found) == "k"
    assert lost(found, absent={"bm25": ranking("bm25", "a#1", "x#1")}) == "bm25"
    assert lost(found, absent={"bm25": ranking("bm25", *OTHERS, "a#1")}) == "k"


def test_lost_in_fusion_when_one_leg_had_it_high_enough() -> None:
    found = retrieval(OTHERS, bm25=["a#1", *OTHERS], dense=[*OTHERS], fused=[*OTHERS, "a#1"])
    assert lost(found) == "fusion"


def test_lost_in_reranking_when_the_fused_order_had_it_high_enough() -> None:
    found = retrieval(OTHERS, bm25=["a#1", *OTHERS], dense=OTHERS, fused=["a#1", *OTHERS], reranked=[*OTHERS, "a#1"])
    assert lost(found) == "reranking"


def test_cut_by_k_when_it_was_never_high_enough() -> None:
    found = retrieval(OTHERS, bm25=[*OTHERS, "a#1"], dense=[*OTHERS, "a#1"], fused=[*OTHERS, "a#1"])
    assert lost(found) == "k"


def test_cut_by_the_budget() -> None:
    assert lost(retrieval([*OTHERS, "a#1"]), sent=OTHERS, given=answer(None)) == "budget"


def test_the_unit_that_came_furthest_names_the_stage() -> None:
    case = judged(GoldenCase("c", "q", (Judgment("gone"), Judgment("a"))))
    assert lost(retrieval(OTHERS, bm25=OTHERS, dense=OTHERS, fused=[*OTHERS, "a#1"]), case=case) == "k"


def test_wrongly_declined() -> None:
    assert lost(retrieval(["a#1"]), given=answer(None)) == "declined"


def test_a_retrieval_loss_comes_before_declining() -> None:
    assert lost(retrieval(OTHERS, bm25=OTHERS, dense=OTHERS), given=answer(None)) == "candidates"


def test_not_used_by_the_generator() -> None:
    assert lost(retrieval(["a#1"]), given=answer("It is three days.", "a#1")) == "generator"


def test_cited_wrongly() -> None:
    found = retrieval(["a#1", "x#1"])
    assert lost(found, given=answer("It is two days.", "a#1")) is None
    assert lost(found, given=answer("It is two days.", "x#1")) == "citation"
    assert lost(found, given=answer("It is two days.", "a#1", statuses=("misattributed",))) == "citation"


def test_another_passage_used_where_the_answer_cannot_be_compared() -> None:
    case = judged(GoldenCase("c", "q", (Judgment("a"),)))
    assert lost(retrieval(["a#1", "x#1"]), case=case, given=answer("Something.", "x#1")) == "generator"


def test_a_long_expected_answer_need_not_be_repeated() -> None:
    prose = GoldenCase("c", "q", (Judgment("a"),), answers=("You can work from home for up to two days",))
    assert lost(retrieval(["a#1"]), case=judged(prose), given=answer("Two days at home.", "a#1")) is None
    short = GoldenCase("c", "q", (Judgment("a"),), answers=("two days",))
    assert lost(retrieval(["a#1"]), case=judged(short), given=answer("Three.", "a#1")) == "generator"


def test_a_question_without_an_answer() -> None:
    case = judged(GoldenCase("c", "q", answerable=False))
    assert lost(retrieval(OTHERS), case=case, given=answer("Yes.", "x#1")) == "answered"
    assert lost(retrieval(OTHERS), case=case, given=answer(None)) is None


def test_the_final_ranking_reaches_below_the_hits_without_repetition() -> None:
    found = retrieval(["b#1", "a#1"], fused=["a#1", "b#1", "x#1", "x#2"], reranked=["b#1", "a#1", "x#1"])
    assert final_ranking(found) == ["b#1", "a#1", "x#1", "x#2"]


def test_legs_worth_trying() -> None:
    path = CasePath(judged(), retrieval(OTHERS, bm25=[], dense=OTHERS), ())
    assert legs_to_try(path) == ("bm25",)
    assert legs_to_try(dataclasses.replace(path, retrieval=retrieval(OTHERS, bm25=OTHERS))) == ("dense",)


def test_every_setting_named_beside_a_stage_exists() -> None:
    known = {f"{section}.{key}" for section, keys in Config().to_mapping().items() for key in keys}
    for stage in STAGES.values():
        words = stage.setting.replace(";", ",").split(",")
        dotted = {word.strip() for word in words if "." in word and " " not in word.strip()}
        assert dotted <= known, stage
