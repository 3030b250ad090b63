"""The threshold under which an answer is withheld, fitted on questions with and without an answer. Pure.

What is maximised is balanced accuracy: the mean of the share of answerable questions that are answered and the share of
unanswerable ones that are declined. The gain that is reported is out of fold: each fifth of the questions is judged
by a threshold fitted on the other four.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question of a golden set, answered without a threshold: its confidence, and whether it has an answer."""

    case_id: str
    confidence: float
    answerable: bool


@dataclass(frozen=True, slots=True)
class Balance:
    """How decisions at one threshold turn out. Undefined shares (no such question) are None."""

    balanced_accuracy: float
    answered: float
    declined: float
    abstention_precision: float | None


@dataclass(frozen=True, slots=True)
class Tuned:
    """A fitted threshold. ``before`` is at the current one, ``after`` at the fitted one over all questions; ``gain`` is
    the cross-validated difference of balanced accuracy with its bootstrap interval ``low`` to ``high``."""

    threshold: float
    current: float
    before: Balance
    after: Balance
    cross_validated: float
    gain: float
    low: float
    high: float
    answerable: int
    unanswerable: int

    @property
    def is_better(self) -> bool:
        """Whether the gain is real: its interval lies above zero."""
        return self.low > 0


def tune_threshold(
    outcomes: Sequence[Outcome], current: float, *, seed: int = 7, resamples: int = 2000, confidence: float = 0.95
) -> Tuned:
    """The threshold for these outcomes. Raises ValueError without both kinds of question, five of each at least."""
    kinds = [sum(outcome.answerable == kind for outcome in outcomes) for kind in (True, False)]
    if min(kinds) < FOLDS:
        raise ValueError(
            f"{kinds[0]} answerable and {kinds[1]} unanswerable questions, at least {FOLDS} of each needed"
        )
    ordered = sorted(outcomes, key=lambda outcome: outcome.case_id)
    new = _out_of_fold(ordered, seed)
    old = [outcome.confidence >= current for outcome in ordered]
    low, high = _interval(ordered, old, new, seed, resamples, confidence)
    threshold = best_threshold(ordered)
    cross_validated = _balanced(ordered, new)
    return Tuned(
        threshold=threshold,
        current=current,
        before=balance(ordered, current),
        after=balance(ordered, threshold),
        cross_validated=cross_validated,
        gain=cross_validated - _balanced(ordered, old),
        low=low,
        high=high,
        answerable=kinds[0],
        unanswerable=kinds[1],
    )


def balance(outcomes: Sequence[Outcome], threshold: float) -> Balance:
    """Shares of right decisions when what reaches ``threshold`` is answered."""
    answers = [outcome.confidence >= threshold for outcome in outcomes]
    yes = [answer for answer, outcome in zip(answers, outcomes, strict=True) if outcome.answerable]
    no = [answer for answer, outcome in zip(answers, outcomes, strict=True) if not outcome.answerable]
    declined = len(answers) - sum(answers)
    return Balance(
        balanced_accuracy=_balanced(outcomes, answers),
        answered=sum(yes) / len(yes) if yes else 0.0,
        declined=1 - sum(no) / len(no) if no else 0.0,
        abstention_precision=(len(no) - sum(no)) / declined if declined else None,
    )


def best_threshold(outcomes: Sequence[Outcome]) -> float:
    """The threshold of highest balanced accuracy: the middle of the widest best gap between two confidences."""
    values = sorted({outcome.confidence for outcome in outcomes})
    edges = [0.0, *values, 1.0]
    scored = []
    for low, high in pairwise(edges):
        middle = round((low + high) / 2, 4)
        scored.append((_balanced(outcomes, [o.confidence >= middle for o in outcomes]), high - low, -middle))
    return -max(scored)[2]


def _balanced(outcomes: Sequence[Outcome], answers: Sequence[bool]) -> float:
    right = {True: 0, False: 0}
    total = {True: 0, False: 0}
    for outcome, answer in zip(outcomes, answers, strict=True):
        total[outcome.answerable] += 1
        right[outcome.answerable] += answer == outcome.answerable
    shares = [right[kind] / total[kind] for kind in (True, False) if total[kind]]
    return sum(shares) / len(shares) if shares else 0.0


def _out_of_fold(outcomes: Sequence[Outcome], seed: int) -> list[bool]:
    """Each question's decision by the threshold fitted without it; both kinds spread evenly over the folds."""
    draw = random.Random(seed)
    fold_of: dict[int, int] = {}
    for kind in (True, False):
        places = [place for place, outcome in enumerate(outcomes) if outcome.answerable == kind]
        draw.shuffle(places)
        fold_of |= {place: number % FOLDS for number, place in enumerate(places)}
    thresholds = [
        best_threshold([outcome for place, outcome in enumerate(outcomes) if fold_of[place] != fold])
        for fold in range(FOLDS)
    ]
    return [outcome.confidence >= thresholds[fold_of[place]] for place, outcome in enumerate(outcomes)]


def _interval(
    outcomes: Sequence[Outcome], old: Sequence[bool], new: Sequence[bool], seed: int, resamples: int, confidence: float
) -> tuple[float, float]:
    """Percentile bootstrap of the paired difference, each kind of question resampled on its own."""
    draw = random.Random(seed)
    differences: dict[bool, list[int]] = {True: [], False: []}
    for outcome, before, after in zip(outcomes, old, new, strict=True):
        differences[outcome.answerable].append((after == outcome.answerable) - (before == outcome.answerable))
    gains = sorted(
        sum(sum(draw.choices(kind, k=len(kind))) / len(kind) for kind in differences.values()) / 2
        for _ in range(resamples)
    )
    tail = (1 - confidence) / 2
    return gains[int(tail * (resamples - 1))], gains[round((1 - tail) * (resamples - 1))]
