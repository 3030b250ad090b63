"""The threshold: fitted where it should be, and its gain not overstated."""

from __future__ import annotations

import random

import pytest

from ragcli.answer.calibration import Outcome, balance, best_threshold, tune_threshold


def _outcomes(yes: list[float], no: list[float]) -> list[Outcome]:
    found = [Outcome(f"y{n}", value, True) for n, value in enumerate(yes)]
    return found + [Outcome(f"n{n}", value, False) for n, value in enumerate(no)]


def test_balance_by_hand() -> None:
    found = balance(_outcomes([0.9, 0.8, 0.4, 0.3], [0.6, 0.2]), 0.5)
    assert (found.answered, found.declined, found.balanced_accuracy) == (0.5, 0.5, 0.5)
    assert found.abstention_precision == pytest.approx(1 / 3)
    assert balance(_outcomes([0.9], [0.8]), 0.5).abstention_precision is None


def test_the_best_threshold_lies_in_the_middle_of_the_gap() -> None:
    assert best_threshold(_outcomes([0.9, 0.8, 0.7], [0.1, 0.2, 0.3])) == pytest.approx(0.5)


def test_a_clear_gain_is_found_and_noise_is_not() -> None:
    draw = random.Random(1)
    yes = [draw.gauss(0.45, 0.05) for _ in range(60)]
    no = [draw.gauss(0.25, 0.05) for _ in range(60)]
    tuned = tune_threshold(_outcomes(yes, no), current=0.6)
    assert 0.3 < tuned.threshold < 0.4
    assert tuned.is_better
    assert tuned.low <= tuned.gain <= tuned.high
    assert tuned.before.balanced_accuracy == pytest.approx(0.5)
    noise = _outcomes([draw.random() for _ in range(60)], [draw.random() for _ in range(60)])
    lucky = tune_threshold(noise, current=0.5)
    assert not lucky.is_better
    assert lucky.cross_validated < lucky.after.balanced_accuracy  # judged by thresholds fitted without the case


def test_the_same_outcomes_in_another_order_give_the_same_threshold() -> None:
    outcomes = _outcomes([0.9, 0.7, 0.6, 0.55, 0.3, 0.8], [0.1, 0.35, 0.5, 0.2, 0.6, 0.4])
    assert tune_threshold(outcomes, 0.5) == tune_threshold(outcomes[::-1], 0.5)


def test_too_few_of_a_kind() -> None:
    with pytest.raises(ValueError, match="3 unanswerable"):
        tune_threshold(_outcomes([0.5] * 9, [0.1] * 3), 0.5)
