"""Two rankings into one: reciprocal ranks, or a weighted sum of scaled scores. Pure.

Equal-weight reciprocal rank fusion can fall below its better leg, because a rank forgets by how much a leg preferred
a candidate; the weighted sum keeps it and is the default (Bruch et al. 2023, "An Analysis of Fusion Functions for
Hybrid Retrieval").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragcli.records import Hit, Ranking


def rank(retriever: str, scores: Mapping[str, float]) -> Ranking:
    """Ids by falling score, ties by id, ranks from 1."""
    order = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
    return Ranking(retriever, tuple(Hit(chunk_id, scores[chunk_id], n) for n, chunk_id in enumerate(order, 1)))


def scores_of(ranking: Ranking) -> dict[str, float]:
    """Score by chunk id."""
    return {hit.chunk_id: hit.score for hit in ranking.hits}


def fuse_rrf(rankings: Sequence[Ranking], k: int = 60, weights: Sequence[float] | None = None) -> Ranking:
    """Sum of weight / (k + rank) over the rankings a candidate stands in (Cormack et al. 2009)."""
    used = weights or [1.0] * len(rankings)
    scores: dict[str, float] = {}
    for ranking, weight in zip(rankings, used, strict=True):
        for hit in ranking.hits:
            scores[hit.chunk_id] = scores.get(hit.chunk_id, 0.0) + weight / (k + hit.rank)
    return rank("rrf", scores)


def fuse_convex(lexical: Mapping[str, float], cosines: Mapping[str, float], dense_weight: float) -> Ranking:
    """``dense_weight`` × cosine + the rest × BM25 divided by the query's best score.

    ``cosines`` should hold every candidate, those of the lexical leg too; one it lacks counts as its lowest. A
    candidate without a BM25 score shares no term with the query, or stands below the leg's depth: it counts as 0.
    """
    best = max(lexical.values(), default=0.0)
    scale = (1.0 - dense_weight) / best if best > 0 else 0.0
    lowest = min(cosines.values(), default=0.0)
    scores = {
        chunk_id: dense_weight * cosines.get(chunk_id, lowest) + scale * lexical.get(chunk_id, 0.0)
        for chunk_id in {*lexical, *cosines}
    }
    return rank("convex", scores)
