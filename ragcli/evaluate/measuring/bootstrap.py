"""Percentile bootstrap over cases (Efron, 1979; Sakai, 2006, for retrieval), for one run and for two paired by case.

Values are columns of cases × measures with NaN where a case has none; every measure of a resample uses the same cases,
so the intervals of several measures can be held at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.evaluate.run import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

_BLOCK = 4_000_000  # resamples × cases held at a time

CaseValues = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How intervals are made: their confidence, the number of resamples and the seed of the draws."""

    confidence: float = 0.95
    resamples: int = 2000
    seed: int = 7


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of a measure in two runs and the interval of their difference (new − old); None without a value."""

    measure: str
    old: float | None
    new: float | None
    difference: float | None
    low: float | None
    high: float | None
    n: int


def estimates(rows: Sequence[CaseValues], names: Sequence[str], how: Bootstrap) -> dict[str, Estimate]:
    """Mean and interval of each measure over the cases that have a value; the others are counted."""
    import numpy as np

    if not rows or not names:
        return {name: Estimate(None, None, None, 0, len(rows)) for name in names}
    values = _matrix(rows, names)
    means = np.concatenate([_means(counts, values) for counts in _resamples(len(rows), how)])
    found, limits = {}, _intervals(means, how.confidence)
    for column, name in enumerate(names):
        present = values[~np.isnan(values[:, column]), column]
        low, high = limits[column]
        mean = float(present.mean()) if len(present) else None
        found[name] = Estimate(mean, low, high, len(present), len(rows) - len(present))
    return found


def differences(
    old: Sequence[CaseValues],
    new: Sequence[CaseValues],
    names: Sequence[str],
    how: Bootstrap,
    *,
    together: bool = False,
) -> list[Difference]:
    """Difference of each measure between two runs over the same cases in the same order.

    ``together`` widens the intervals so that all of them hold at once with the confidence asked for: the quantile of
    the largest studentised deviation over the measures takes the place of each measure's own (Romano and Wolf, 2005).
    """
    import numpy as np

    if not old or not names:
        return [Difference(name, None, None, None, None, None, 0) for name in names]
    before, after = _matrix(old, names), _matrix(new, names)
    draws = np.concatenate([_means(c, after) - _means(c, before) for c in _resamples(len(old), how)])
    ones = np.ones((1, len(old)))
    mean_before, mean_after = _means(ones, before)[0], _means(ones, after)[0]
    margin = _joint_margin(draws, mean_after - mean_before, how.confidence) if together else None
    found, limits = [], _intervals(draws, how.confidence)
    for column, name in enumerate(names):
        low, high = limits[column]
        was, now = _number(mean_before[column]), _number(mean_after[column])
        change = now - was if was is not None and now is not None else None
        if margin is not None and change is not None:
            low, high = change - float(margin[column]), change + float(margin[column])
        pairs = int((~np.isnan(before[:, column]) & ~np.isnan(after[:, column])).sum())
        found.append(Difference(name, was, now, change, low, high, pairs))
    return found


def _joint_margin(draws: Matrix, observed: Matrix, confidence: float) -> Matrix:
    import numpy as np

    deviations = np.nan_to_num(draws - observed)
    spread = np.sqrt((deviations**2).mean(axis=0))
    worst = np.abs(deviations / np.where(spread > 0, spread, 1.0)).max(axis=1)
    return np.asarray(np.quantile(worst, confidence) * spread, dtype=np.float64)


def _matrix(rows: Sequence[CaseValues], names: Sequence[str]) -> Matrix:
    import numpy as np

    table = [[np.nan if row.get(name) is None else row[name] for name in names] for row in rows]
    return np.array(table, dtype=np.float64).reshape(len(rows), len(names))


def _resamples(cases: int, how: Bootstrap) -> Iterator[Matrix]:
    """How often each case was drawn, a row per resample, in blocks that bound the memory."""
    import numpy as np

    random = np.random.default_rng(how.seed)
    done, block = 0, max(1, _BLOCK // cases)
    while done < how.resamples:
        size = min(block, how.resamples - done)
        drawn = random.integers(0, cases, (size, cases)) + np.arange(size)[:, None] * cases
        yield np.bincount(drawn.ravel(), minlength=size * cases).reshape(size, cases).astype(np.float64)
        done += size


def _means(counts: Matrix, values: Matrix) -> Matrix:
    """Mean of each measure in each resample; NaN where none of the drawn cases has a value."""
    import numpy as np

    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((counts @ np.where(defined, values, 0.0)) / (counts @ defined.astype(np.float64)))


def _intervals(draws: Matrix, confidence: float) -> list[tuple[float | None, float | None]]:
    """Low and high of each column, over the draws that have a value; None where none has."""
    import numpy as np

    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    undefined = np.isnan(draws)
    whole = ~undefined.any(axis=0)
    low, high = np.quantile(draws[:, whole], ends, axis=0)  # all at once: a call a column is most of a run by tag
    found = dict(zip(np.flatnonzero(whole).tolist(), zip(low.tolist(), high.tolist(), strict=True), strict=True))
    for column in np.flatnonzero(~whole & ~undefined.all(axis=0)).tolist():
        found[column] = tuple(np.quantile(draws[~undefined[:, column], column], ends).tolist())
    return [found.get(column, (None, None)) for column in range(draws.shape[1])]


def _number(value: float) -> float | None:
    return None if value != value else float(value)
