"""The kept baseline of the sample corpus fails a run that is worse and passes one that is not."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from ragcli.evaluate.gate import judge_run
from ragcli.evaluate.golden_sets.file import load_golden
from ragcli.evaluate.measuring.bootstrap import Bootstrap
from ragcli.evaluate.measuring.results import summary
from ragcli.evaluate.run import CaseResult, EvalRun, load_run

REPOSITORY = Path(__file__).resolve().parents[1]
GOLDEN = REPOSITORY / "sample_corpus" / "golden.jsonl"
BASELINE = load_run(REPOSITORY / "tests" / "baselines" / "sample_corpus.json")
HOW = Bootstrap(0.95, 2000, 7)
RETRIEVAL = ("nDCG@10", "R@5", "RR@10")


def worsened(measures: tuple[str, ...], share: float) -> EvalRun:
    """The baseline with these measures at 0 in a share of the cases that have them above 0, spread over the set."""
    concerned = [case.id for case in BASELINE.per_case if any(case.measures[name] for name in measures)]
    step = round(1 / share)
    chosen = set(concerned[::step])

    def changed(case: CaseResult) -> CaseResult:
        lost = {name: 0.0 for name in measures if case.measures[name] is not None}
        return dataclasses.replace(case, measures={**case.measures, **lost}) if case.id in chosen else case

    rows = tuple(changed(case) for case in BASELINE.per_case)
    return dataclasses.replace(BASELINE, per_case=rows, measures=summary(rows, list(BASELINE.measures), HOW))


def failed(run: EvalRun) -> set[str]:
    verdict = judge_run(run, fail_under={}, baseline=BASELINE, baseline_name="baseline", how=HOW)
    assert verdict.passed is not bool(verdict.failures)
    return {check.measure for check in verdict.failures}


def test_the_baseline_asks_the_questions_of_the_golden_set() -> None:
    golden = load_golden(GOLDEN)
    assert (BASELINE.golden_digest, BASELINE.cases) == (golden.digest, len(golden.cases)), ".ci/evaluate --remake"
    assert [case.id for case in BASELINE.per_case] == [case.case_id for case in golden.cases]


def test_the_same_run_again_passes() -> None:
    assert failed(BASELINE) == set()


@pytest.mark.parametrize("measures", [RETRIEVAL, ("contains",), ("support_rate",), ("abstention_recall",)], ids=str)
def test_a_real_drop_fails(measures: tuple[str, ...]) -> None:
    assert failed(worsened(measures, 0.2)) == set(measures)
