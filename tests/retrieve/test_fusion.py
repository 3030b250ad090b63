from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.records import Ranking
from ragcli.retrieve.fusion import fuse_convex, fuse_rrf, rank

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-1, 30), max_size=8)


def test_reciprocal_ranks_worked_by_hand() -> None:
    lexical = rank("bm25", {"a": 9.0, "b": 5.0, "c": 1.0})
    dense = rank("dense", {"c": 0.9, "d": 0.8})
    fused = fuse_rrf([lexical, dense], 60)
    assert [hit.chunk_id for hit in fused.hits] == ["c", "a", "b", "d"]  # b and d tie at 1/62
    expected = [1 / 63 + 1 / 61, 1 / 61, 1 / 62, 1 / 62]
    assert [hit.score for hit in fused.hits] == pytest.approx(expected, abs=1e-15)
    assert fused.retriever == "rrf"


def test_weights_of_reciprocal_ranks() -> None:
    lexical, dense = rank("bm25", {"a": 1.0}), rank("dense", {"b": 1.0})
    fused = fuse_rrf([lexical, dense], 1, [1.0, 3.0])
    assert [(hit.chunk_id, hit.score) for hit in fused.hits] == [("b", 1.5), ("a", 0.5)]


def test_convex_worked_by_hand() -> None:
    fused = fuse_convex({"a": 8.0, "b": 4.0}, {"a": 0.1, "b": 0.9, "c": 0.5}, 0.6)
    scores = {hit.chunk_id: hit.score for hit in fused.hits}
    assert scores == pytest.approx({"b": 0.6 * 0.9 + 0.4 * 0.5, "a": 0.6 * 0.1 + 0.4, "c": 0.3})
    assert [hit.rank for hit in fused.hits] == [1, 2, 3]
    assert [hit.chunk_id for hit in fused.hits] == ["b", "a", "c"]


def test_convex_without_a_lexical_hit_is_the_cosine_order() -> None:
    fused = fuse_convex({}, {"a": 0.2, "b": 0.4}, 0.6)
    assert [hit.chunk_id for hit in fused.hits] == ["b", "a"]
    assert fuse_convex({}, {}, 0.6).hits == ()


def test_a_candidate_without_a_cosine_counts_as_the_lowest() -> None:
    fused = fuse_convex({"a": 2.0, "b": 2.0}, {"b": 0.3, "c": 0.1}, 0.5)
    scores = {hit.chunk_id: hit.score for hit in fused.hits}
    assert scores == pytest.approx({"b": 0.65, "a": 0.55, "c": 0.05})


@given(SCORES, SCORES, st.floats(0, 1))
def test_every_candidate_once_ranks_run_and_ties_go_by_id(
    lexical: dict[str, float], cosines: dict[str, float], weight: float
) -> None:
    rankings = [rank("bm25", lexical), rank("dense", cosines)]
    for fused in (fuse_convex(lexical, cosines, weight), fuse_rrf(rankings)):
        assert {hit.chunk_id for hit in fused.hits} == lexical.keys() | cosines.keys()
        assert [hit.rank for hit in fused.hits] == list(range(1, len(fused.hits) + 1))
        keys = [(-hit.score, hit.chunk_id) for hit in fused.hits]
        assert keys == sorted(keys)


@given(SCORES, st.floats(0.01, 100))
def test_the_scale_of_bm25_does_not_matter(lexical: dict[str, float], factor: float) -> None:
    positive = {key: round(abs(score), 3) for key, score in lexical.items()}
    cosines = dict.fromkeys(positive, 0.25)
    plain = fuse_convex(positive, cosines, 0.5)
    scaled = fuse_convex({key: score * factor for key, score in positive.items()}, cosines, 0.5)
    assert _scores(plain) == pytest.approx(_scores(scaled))


@given(SCORES)
def test_one_leg_alone_keeps_its_order(scores: dict[str, float]) -> None:
    alone = rank("bm25", scores)
    assert [hit.chunk_id for hit in fuse_rrf([alone]).hits] == [hit.chunk_id for hit in alone.hits]


def _scores(ranking: Ranking) -> dict[str, float]:
    return {hit.chunk_id: hit.score for hit in ranking.hits}
