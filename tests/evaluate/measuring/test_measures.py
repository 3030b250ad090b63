from __future__ import annotations

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.evaluate.measuring.measures import is_ranking_measure, measure, measure_names

ITEMS = [f"d{n}" for n in range(14)]
NAMES = measure_names((1, 3, 5, 10))


def peer(name: str, ranking: list[str], relevance: dict[str, int]) -> float:
    qrels = [ir_measures.Qrel("q", item, grade) for item, grade in relevance.items()]
    run = [ir_measures.ScoredDoc("q", item, -float(rank)) for rank, item in enumerate(ranking)]
    wanted = ir_measures.parse_measure(name.replace("Hit@", "Success@"))
    return float(ir_measures.calc_aggregate([wanted], qrels, run)[wanted])


@given(
    ranking=st.lists(st.sampled_from(ITEMS), unique=True, min_size=1, max_size=14),
    relevance=st.dictionaries(st.sampled_from(ITEMS), st.integers(1, 4), min_size=1, max_size=8),
)
def test_every_measure_agrees_with_ir_measures(ranking: list[str], relevance: dict[str, int]) -> None:
    for name in NAMES:
        assert measure(name, ranking, relevance) == pytest.approx(peer(name, ranking, relevance), abs=1e-9), name


def test_values_worked_out_by_hand() -> None:
    ranking, relevance = ["x", "a", "y", "b"], {"a": 1, "b": 3, "c": 1}
    assert measure("Hit@1", ranking, relevance) == 0.0
    assert measure("Hit@3", ranking, relevance) == 1.0
    assert measure("RR@10", ranking, relevance) == 0.5
    assert measure("R@5", ranking, relevance) == pytest.approx(2 / 3)
    assert measure("P@5", ranking, relevance) == pytest.approx(2 / 5)
    assert measure("AP", ranking, relevance) == pytest.approx((1 / 2 + 2 / 4) / 3)
    gain = 1 / 1.5849625007211562 + 3 / 2.321928094887362
    ideal = 3 + 1 / 1.5849625007211562 + 1 / 2
    assert measure("nDCG@10", ranking, relevance) == pytest.approx(gain / ideal)


def test_nothing_retrieved_scores_zero() -> None:
    assert {measure(name, [], {"a": 1}) for name in NAMES} == {0.0}


def test_an_unknown_name_is_refused() -> None:
    assert not is_ranking_measure("ndcg@10")
    assert not is_ranking_measure("R@0")
    with pytest.raises(ValueError, match="unknown measure 'MAP'"):
        measure("MAP", ["a"], {"a": 1})
