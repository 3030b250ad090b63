"""The two legs of a search: what BM25 and the vectors propose, inside the allowed set."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragcli.config import RetrieveConfig, SearchMode
from ragcli.errors import ConfigError
from ragcli.records import Allowed, DenseMethod, Ranking
from ragcli.retrieve.fusion import fuse_convex, fuse_rrf, scores_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragcli.interfaces import Embedder, Engine
    from ragcli.retrieve.stopwatch import Stopwatch


@dataclass(frozen=True)
class Candidates:
    """The legs that ran (``bm25``, ``dense``) and, when both did, the cosine of every candidate of either."""

    legs: Mapping[str, Ranking]
    cosines: Mapping[str, float] = field(default_factory=dict)
    dense_method: DenseMethod | None = None

    def cut_at(self, depth: int) -> bool:
        """Whether a leg may hold more than the ``depth`` candidates it was asked for."""
        return any(len(ranking.hits) >= depth for ranking in self.legs.values())

    def fused(self, config: RetrieveConfig) -> Ranking:
        """One ranking of all candidates; a leg that ran alone stays as it is."""
        if len(self.legs) == 1:
            return next(iter(self.legs.values()))
        lexical, dense = self.legs["bm25"], self.legs["dense"]
        if config.fusion == "rrf":
            return fuse_rrf([lexical, dense], config.rrf_k)
        return fuse_convex(scores_of(lexical), self.cosines, config.dense_weight)


def find_candidates(
    question: str,
    *,
    engine: Engine,
    embedder: Embedder | None,
    allowed: Allowed,
    config: RetrieveConfig,
    mode: SearchMode,
    watch: Stopwatch,
) -> Candidates:
    """``config.depth`` candidates of each leg of ``mode``. Raises ConfigError when the dense leg has no model.

    The legs run at the same time: both leave Python to others while they work.
    """

    def bm25() -> Ranking:
        with watch.stage("bm25"):
            return engine.lexical(question, config.depth, allowed)

    def dense() -> tuple[Ranking, DenseMethod | None, NDArray[np.float32]]:
        assert embedder is not None
        with watch.stage("embed"):
            vector = embedder.queries([question])[0]
        with watch.stage("dense"):
            return *engine.dense(vector, config.depth, allowed, config.dense_method), vector

    if mode == "bm25":
        return Candidates({"bm25": bm25()})
    if embedder is None:
        raise ConfigError(f"mode {mode} needs an embedding model", hint="use --mode bm25, or set embed.model")
    if not allowed.count:
        return Candidates({leg: Ranking(leg, ()) for leg in ("bm25", "dense") if mode in (leg, "hybrid")})
    if mode == "dense":
        ranking, method, _ = dense()
        return Candidates({"dense": ranking}, scores_of(ranking), method)
    with ThreadPoolExecutor(1, "bm25") as pool:
        lexical = pool.submit(bm25)
        ranking, method, vector = dense()
    legs = {"bm25": lexical.result(), "dense": ranking}
    with watch.stage("dense"):
        return Candidates(legs, scores_of(ranking) | _cosines_of_others(engine, vector, legs), method)


def _cosines_of_others(engine: Engine, vector: NDArray[np.float32], legs: Mapping[str, Ranking]) -> dict[str, float]:
    """True cosines of lexical candidates that the dense leg's depth left out, from the stored vectors."""
    found = {hit.chunk_id for hit in legs["dense"].hits}
    others = [hit.chunk_id for hit in legs["bm25"].hits if hit.chunk_id not in found] if "bm25" in legs else []
    if not others:
        return {}
    cosines: list[float] = (engine.vectors(others) @ vector).tolist()
    return dict(zip(others, cosines, strict=True))
