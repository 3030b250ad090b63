from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ragcli.errors import ConfigError, ExitCode
from ragcli.evaluate.gate import judge_run, parse_threshold
from ragcli.evaluate.measuring.bootstrap import Bootstrap
from ragcli.evaluate.run import CaseResult, Estimate, EvalRun


def run(rows: list[dict[str, float | None]], *, lost: dict[int, str] | None = None, **more: object) -> EvalRun:
    cases = tuple(CaseResult(f"c{n}", f"question {n}", row, lost_at=(lost or {}).get(n)) for n, row in enumerate(rows))
    measures = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [value for row in rows if (value := row[name]) is not None]
        mean = sum(values) / len(values) if values else None
        measures[name] = Estimate(mean, mean, mean, len(values), len(rows) - len(values))
    made = EvalRun("g.jsonl", "digest", "corpus", len(rows), "v000001", "hash", measures, {}, {}, cases)
    return dataclasses.replace(made, **more)  # type: ignore[arg-type]


HALF = [{"R@5": 1.0}, {"R@5": 0.0}]


def test_without_a_gate_nothing_fails() -> None:
    verdict = judge_run(run(HALF, faults={"not_in_corpus": 1}), fail_under={})
    assert (verdict.asked, verdict.passed, verdict.exit_code) == (False, True, ExitCode.OK)
    assert verdict.line == "no gate was asked for"


@pytest.mark.parametrize(("wanted", "passed"), [(0.5, True), (0.51, False)])
def test_a_threshold_passes_at_its_value(wanted: float, passed: bool) -> None:
    verdict = judge_run(run(HALF), fail_under={"R@5": wanted})
    assert verdict.passed is passed
    assert verdict.exit_code == (ExitCode.OK if passed else ExitCode.GATE)
    assert [str(item) for item in verdict.failures] == (
        [] if passed else ["threshold: R@5 is 0.5000, wanted at least 0.51"]
    )


def test_a_threshold_is_met_in_spite_of_rounding() -> None:
    rows = [{"R@5": value} for value in (0.7, 0.1, 0.1)]  # their mean is computed as 0.29999999999999993
    assert judge_run(run(rows), fail_under={"R@5": 0.3}).passed


def test_a_measure_without_a_value_fails_and_is_named() -> None:
    verdict = judge_run(run([{"contains": None}]), fail_under={"contains": 0.0})
    assert [str(item) for item in verdict.failures] == [
        "threshold: contains has no value: none of the 1 cases defines it"
    ]


def test_an_unknown_measure_and_one_where_lower_is_better_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"R@6: not measured in this run; measured: R@5") as caught:
        judge_run(run(HALF), fail_under={"R@6": 0.5})
    assert "eval.cutoffs" in caught.value.hint
    with pytest.raises(ConfigError, match="lower is better"):
        judge_run(run([{"false_answers": 0.1}]), fail_under={"false_answers": 0.5})


def test_a_judged_measure_warns_and_does_not_fail() -> None:
    verdict = judge_run(run([{"judge_faithfulness": 0.2}]), fail_under={"judge_faithfulness": 0.9})
    assert verdict.passed
    assert [item.measure for item in verdict.warnings] == ["judge_faithfulness"]


def test_labels_that_left_the_corpus_fail_as_their_own_kind() -> None:
    verdict = judge_run(run(HALF, faults={"not_in_corpus": 2, "cut_by_chunking": 4}), fail_under={"R@5": 0.1})
    assert [str(item) for item in verdict.failures] == ["labels: 2 cases with a label no longer in the corpus"]


@pytest.mark.parametrize(("text", "found"), [("R@5=0.9", ("R@5", 0.9)), (" AP = 1", ("AP", 1.0))])
def test_thresholds_are_read(text: str, found: tuple[str, float]) -> None:
    assert parse_threshold(text) == found


@pytest.mark.parametrize("text", ["R@5", "R@5=", "=0.5", "R@5=high", "R@5=90", "R@5=nan", "R@5=-1"])
def test_thresholds_of_another_form_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="expected MEASURE=VALUE"):
        parse_threshold(text)


def against(old: EvalRun, new: EvalRun, **more: object) -> object:
    return judge_run(new, fail_under={}, baseline=old, baseline_name="kept.json", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("what", ["golden_digest", "corpus"])
def test_a_baseline_from_elsewhere_is_refused_with_both_values_unless_allowed(what: str) -> None:
    other = run(HALF, **{what: "other"})
    with pytest.raises(ConfigError, match=r"kept.json was made from another .*: other, now"):
        against(other, run(HALF))
    assert against(other, run(HALF), allow_other=True).passed  # type: ignore[attr-defined]


def test_a_baseline_without_a_shared_case_is_refused() -> None:
    other = dataclasses.replace(run(HALF), per_case=(CaseResult("z", "q", {"R@5": 1.0}),))
    with pytest.raises(ConfigError, match="shares no case"):
        against(other, run(HALF), allow_other=True)


def test_a_drop_within_the_tolerance_or_within_the_noise_is_no_regression() -> None:
    ones = [{"R@5": 1.0} for _ in range(200)]
    slightly = [{"R@5": 0.995} for _ in range(200)]
    assert against(run(ones), run(slightly)).passed  # type: ignore[attr-defined]
    noisy = [{"R@5": 0.0 if n < 3 else 1.0} for n in range(40)]
    assert against(run([{"R@5": 0.0 if n == 9 else 1.0} for n in range(40)]), run(noisy)).passed  # type: ignore[attr-defined]


def test_a_real_drop_fails_and_a_rise_does_not() -> None:
    old, new = run([{"R@5": 1.0}] * 100), run([{"R@5": 0.0 if n < 30 else 1.0} for n in range(100)])
    (failure,) = against(old, new).failures  # type: ignore[attr-defined]
    assert (failure.kind, failure.measure) == ("regression", "R@5")
    assert "from 1.0000 to 0.7000: -0.3000" in failure.message
    assert against(new, old).passed  # type: ignore[attr-defined]


def test_a_rise_of_what_should_be_low_fails_and_a_fall_does_not() -> None:
    low, high = run([{"false_declines": 0.0}] * 60), run([{"false_declines": float(n < 20)} for n in range(60)])
    assert [check.measure for check in against(low, high).failures] == ["false_declines"]  # type: ignore[attr-defined]
    assert against(high, low).passed  # type: ignore[attr-defined]


def test_only_watched_measures_and_those_with_a_threshold_fail() -> None:
    old, new = run([{"P@3": 1.0}] * 50), run([{"P@3": 0.2}] * 50)
    assert against(old, new).passed  # type: ignore[attr-defined]
    verdict = judge_run(new, fail_under={"P@3": 0.1}, baseline=old)
    assert [item.kind for item in verdict.failures] == ["regression"]


def test_a_measure_that_lost_its_values_fails() -> None:
    verdict = against(run([{"contains": 1.0}] * 5), run([{"contains": None}] * 5))
    assert [item.message for item in verdict.failures] == ["contains was 1.0000 and has no value now"]  # type: ignore[attr-defined]


def test_flips_are_listed_with_the_stages_worse_ones_first() -> None:
    old = run([{"R@5": 1.0}] * 3, lost={0: "reranking"})
    new = run([{"R@5": 1.0}] * 3, lost={2: "fusion"})
    flips = against(old, new).comparison.flips  # type: ignore[attr-defined]
    assert [(flip.id, flip.was, flip.now, flip.worse) for flip in flips] == [
        ("c2", None, "fusion", True),
        ("c0", "reranking", None, False),
    ]


def test_a_run_without_answers_wins_no_question_that_the_other_answered_wrongly() -> None:
    old = run([{"R@5": 1.0}] * 3, lost={0: "declined", 1: "reranking"})
    asked = dataclasses.replace(old, per_case=tuple(dataclasses.replace(case, found=True) for case in old.per_case))
    new = run([{"R@5": 1.0}] * 3, lost={1: "fusion", 2: "fusion"})
    flips = against(asked, new).comparison.flips  # type: ignore[attr-defined]
    assert [(flip.id, flip.was, flip.now) for flip in flips] == [("c2", None, "fusion")]
    back = against(new, asked).comparison.flips  # type: ignore[attr-defined]
    assert [(flip.id, flip.was, flip.now) for flip in back] == [("c2", "fusion", None)]


# ---------------------------------------------------------------- what the gate promises

CASES, DRAWS = 300, 200


def ranks(random: np.random.Generator, move: float, drop: float) -> tuple[np.ndarray, np.ndarray]:
    """Rank of the passage (0: none) before and after: a share ``move`` of the questions moves by chance either way; a
    share ``drop`` of those found in the first five is lost on top of it.
    """
    places = np.array([1, 2, 3, 4, 5, 7, 9, 20, 0])
    share = np.array([0.55, 0.12, 0.07, 0.05, 0.04, 0.04, 0.03, 0.05, 0.05])
    before = random.choice(places, CASES, p=share)
    after = np.where(random.random(CASES) < move, random.choice(places, CASES, p=share), before)
    found = (after > 0) & (after <= 5)
    return before, np.where(found & (random.random(CASES) < drop), 0, after)


def rows(found: np.ndarray) -> list[dict[str, float | None]]:
    return [
        {
            "R@5": float(0 < rank <= 5),
            "RR@10": 1 / rank if 0 < rank <= 10 else 0.0,
            "nDCG@10": float(1 / np.log2(rank + 1)) if 0 < rank <= 10 else 0.0,
            "contains": None,
        }
        for rank in found.tolist()
    ]


def share_failed(move: float, drop: float) -> float:
    failed = 0
    for seed in range(DRAWS):
        before, after = ranks(np.random.default_rng(seed), move, drop)
        old, new = run(rows(before)), run(rows(after))
        verdict = judge_run(new, fail_under={}, baseline=old, how=Bootstrap(resamples=500, seed=seed))
        failed += not verdict.passed
    return failed / DRAWS


def test_a_true_regression_of_five_points_on_300_questions_is_caught() -> None:
    """0.83 of the questions are found in the first five; losing 6 % of them is a fall of .05 in R@5."""
    assert share_failed(move=0.0, drop=0.0603) >= 0.95


def test_chance_is_not_called_a_regression() -> None:
    assert share_failed(move=0.1, drop=0.0) <= 0.05
    assert share_failed(move=0.0, drop=0.0) == 0.0
