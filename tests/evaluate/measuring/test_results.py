from __future__ import annotations

import dataclasses

import pytest

from ragcli.evaluate.measuring.results import fault_counts, latencies, loss_counts
from ragcli.evaluate.run import CaseResult
from tests.evaluate.runs import example


def timed(*times: float) -> list[CaseResult]:
    return [CaseResult(f"c{n}", "q", {}, timings_ms={"total": value}) for n, value in enumerate(times)]


@pytest.mark.parametrize(
    ("times", "median", "slowest"),
    [((7.0,), 7.0, 7.0), ((1.0, 2.0), 1.0, 2.0), (tuple(float(n) for n in range(1, 101)), 50.0, 95.0)],
)
def test_percentiles_are_by_nearest_rank(times: tuple[float, ...], median: float, slowest: float) -> None:
    assert latencies(timed(*reversed(times))) == {"total": {"p50": median, "p95": slowest}}


def test_losses_are_counted_in_the_order_of_the_pipeline() -> None:
    rows = [
        CaseResult(str(n), "q", {}, lost_at=stage) for n, stage in enumerate(["k", "answered", None, "k", "filtered"])
    ]
    assert list(loss_counts(rows).items()) == [("filtered", 1), ("k", 2), ("answered", 1)]


def test_a_case_with_two_faults_of_a_kind_counts_once() -> None:
    faults = ("not_in_corpus: a: x", "not_in_corpus: b: x", "not_in_text: c: x")
    assert fault_counts([CaseResult("1", "q", {}, faults=faults)]) == {"not_in_corpus": 1, "not_in_text": 1}


def test_measures_by_tag_are_those_of_its_cases() -> None:
    run = example()
    odd = [case for case in run.per_case if "t1" in case.tags]
    mean = sum(case.measures["RR@10"] or 0.0 for case in odd) / len(odd)
    assert run.by_tag["t1"]["RR@10"].mean == pytest.approx(mean)
    assert list(run.by_tag) == ["t0", "t1"]
    assert dataclasses.replace(run).cases == 12
