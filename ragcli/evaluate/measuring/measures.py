"""Measures of one ranking against graded labels, named and defined as in ``ir_measures`` and ``trec_eval``.

A ranking is a sequence of items without repetition, best first; ``relevance`` maps each labelled item to its grade.
Every function is pure and returns 0.0 for a ranking without a relevant item. References: nDCG with linear gain and
log2 discount as in trec_eval (Järvelin and Kekäläinen, 2002); RR, AP, P and R as in trec_eval; ``Hit@k`` is
ir_measures' ``Success@k``; ``RBP`` and the like are left out because nobody gates on them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

Relevance = Mapping[str, int]

_NAME = re.compile(r"^(?P<kind>nDCG|RR|R|P|AP|Hit)(?:@(?P<cutoff>[1-9][0-9]*))?$")


def ndcg(ranking: Sequence[str], relevance: Relevance, k: int | None = None) -> float:
    """Discounted gain of the first ``k`` items, divided by that of the best possible order."""
    ideal = _gain(sorted(relevance.values(), reverse=True)[:k])
    return _gain([relevance.get(item, 0) for item in ranking[:k]]) / ideal if ideal else 0.0


def reciprocal_rank(ranking: Sequence[str], relevance: Relevance, k: int | None = None) -> float:
    """One over the rank of the first relevant item among the first ``k``."""
    for rank, item in enumerate(ranking[:k], start=1):
        if relevance.get(item, 0) > 0:
            return 1.0 / rank
    return 0.0


def recall(ranking: Sequence[str], relevance: Relevance, k: int | None = None) -> float:
    """Share of the relevant items that stand among the first ``k``."""
    wanted = _count(relevance)
    return _found(ranking[:k], relevance) / wanted if wanted else 0.0


def precision(ranking: Sequence[str], relevance: Relevance, k: int | None = None) -> float:
    """Relevant items among the first ``k``, divided by ``k`` also when fewer were retrieved."""
    places = len(ranking) if k is None else k
    return _found(ranking[:k], relevance) / places if places else 0.0


def average_precision(ranking: Sequence[str], relevance: Relevance, k: int | None = None) -> float:
    """Mean over all relevant items of the precision at the rank of each; 0 for those not retrieved."""
    found, total = 0, 0.0
    for rank, item in enumerate(ranking[:k], start=1):
        if relevance.get(item, 0) > 0:
            found += 1
            total += found / rank
    wanted = _count(relevance)
    return total / wanted if wanted else 0.0


def hit(ranking: Sequence[str], relevance: Relevance, k: int | None = None) -> float:
    """1.0 when a relevant item stands among the first ``k``."""
    return 1.0 if _found(ranking[:k], relevance) else 0.0


_FUNCTIONS: Mapping[str, Callable[[Sequence[str], Relevance, int | None], float]] = {
    "nDCG": ndcg,
    "RR": reciprocal_rank,
    "R": recall,
    "P": precision,
    "AP": average_precision,
    "Hit": hit,
}


def measure_names(cutoffs: Sequence[int]) -> tuple[str, ...]:
    """The measures reported for these cutoffs, in the order they are shown."""
    ordered = sorted(set(cutoffs))
    return (*(f"{kind}@{k}" for kind in ("Hit", "R", "P", "RR", "nDCG") for k in ordered), "AP")


def is_ranking_measure(name: str) -> bool:
    """Whether ``measure`` knows ``name``."""
    return _NAME.match(name) is not None


def measure(name: str, ranking: Sequence[str], relevance: Relevance) -> float:
    """The measure called ``name``, such as ``nDCG@10``, ``RR@10``, ``R@5``, ``P@5``, ``AP`` or ``Hit@5``."""
    match = _NAME.match(name)
    if match is None:
        raise ValueError(f"unknown measure {name!r}")
    cutoff = match["cutoff"]
    return _FUNCTIONS[match["kind"]](ranking, relevance, int(cutoff) if cutoff else None)


def _gain(grades: Sequence[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))


def _count(relevance: Relevance) -> int:
    return sum(grade > 0 for grade in relevance.values())


def _found(items: Sequence[str], relevance: Relevance) -> int:
    return sum(relevance.get(item, 0) > 0 for item in items)
