from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ragcli.evaluate.measuring.bootstrap import Bootstrap, differences, estimates

HOW = Bootstrap(resamples=2000, seed=1)


def test_the_interval_agrees_with_scipy() -> None:
    values = np.random.default_rng(3).random(200)
    found = estimates([{"m": float(value)} for value in values], ["m"], HOW)["m"]
    peer = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=9999, random_state=1)
    assert found.mean == pytest.approx(float(values.mean()))
    assert found.low == pytest.approx(peer.confidence_interval.low, abs=0.004)
    assert found.high == pytest.approx(peer.confidence_interval.high, abs=0.004)


def test_cases_without_a_value_are_counted_not_averaged() -> None:
    found = estimates([{"m": 1.0}, {"m": None}, {}, {"m": 0.0}], ["m"], HOW)["m"]
    assert (found.mean, found.n, found.undefined) == (0.5, 2, 2)


def test_a_measure_that_no_case_has_and_no_case_at_all() -> None:
    assert estimates([{"m": None}], ["m"], HOW)["m"].mean is None
    assert estimates([], ["m"], HOW)["m"].n == 0


def test_the_same_seed_draws_the_same_interval() -> None:
    rows = [{"m": n % 3 / 2} for n in range(50)]
    assert estimates(rows, ["m"], HOW) == estimates(rows, ["m"], HOW)
    assert estimates(rows, ["m"], HOW) != estimates(rows, ["m"], Bootstrap(seed=2))


def test_many_cases_are_drawn_in_blocks_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"m": n % 5 / 4} for n in range(100)]
    whole = estimates(rows, ["m"], HOW)
    monkeypatch.setattr("ragcli.evaluate.measuring.bootstrap._BLOCK", 700)
    assert estimates(rows, ["m"], HOW) == whole


def test_the_difference_is_paired_by_case() -> None:
    """Shifting every case by the same amount leaves no doubt, however much cases differ among themselves."""
    old = [{"m": n % 7 / 10} for n in range(60)]
    (found,) = differences(old, [{"m": row["m"] + 0.1} for row in old], ["m"], HOW)
    assert found.difference == pytest.approx(0.1)
    assert (found.low, found.high) == (pytest.approx(0.1), pytest.approx(0.1))


def test_means_over_different_cases_are_compared_as_means() -> None:
    (found,) = differences([{"m": 1.0}, {"m": None}], [{"m": 1.0}, {"m": 0.0}], ["m"], HOW)
    assert (found.old, found.new, found.n) == (1.0, 0.5, 1)


def test_joint_intervals_are_wider_and_hold_together() -> None:
    random = np.random.default_rng(5)
    names = [f"m{n}" for n in range(8)]
    missed = alone_missed = 0
    for seed in range(60):
        old = [dict.fromkeys(names, 0.0) for _ in range(120)]
        new = [dict(zip(names, map(float, random.normal(0, 1, 8)), strict=True)) for _ in range(120)]
        how = Bootstrap(seed=seed, resamples=400)
        together = differences(old, new, names, how, together=True)
        alone = differences(old, new, names, how)
        missed += any(not (d.low or 0) <= 0 <= (d.high or 0) for d in together)
        alone_missed += any(not (d.low or 0) <= 0 <= (d.high or 0) for d in alone)
    assert missed <= 8  # 5 % of 60 is 3; eight independent intervals miss in about a third of the draws
    assert alone_missed >= 12
