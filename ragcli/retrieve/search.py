"""One question through filter, legs, fusion and reranking to its ranked chunks."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from ragcli.config import RerankConfig, RetrieveConfig, SearchMode
from ragcli.errors import ConfigError
from ragcli.records import Allowed, Link, Ranking, Retrieval, Scope
from ragcli.retrieve.candidates import Candidates, find_candidates
from ragcli.retrieve.fusion import rank
from ragcli.retrieve.hits import Rankings, describe_hits
from ragcli.retrieve.stopwatch import Stopwatch

if TYPE_CHECKING:
    from ragcli.interfaces import Embedder, Engine, Reranker


_DEEPER = 4


def retrieve(
    question: str,
    *,
    engine: Engine,
    embedder: Embedder | None,
    reranker: Reranker | None = None,
    scope: Scope,
    config: RetrieveConfig,
    rerank: RerankConfig,
    mode: SearchMode | None = None,
    k: int | None = None,
) -> Retrieval:
    """The best ``k`` allowed chunks for ``question``, with what each stage thought of them.

    ``mode`` and ``k`` stand in for the configured ones; each leg goes at least ``k`` deep, and deeper while copies of a
    few chunks leave fewer than ``k`` different ones. The allowed set is computed once and binds both legs; with nothing
    allowed or matching, ``hits`` is empty. ``embedder`` may be None in mode ``bm25`` only.
    Raises ConfigError for an empty question, an unknown filter key or a mode without its model.
    """
    question = _checked(question)
    mode, k, watch = mode or config.mode, k or config.k, Stopwatch()
    config = dataclasses.replace(config, depth=max(config.depth, k))
    with watch.stage("total"):
        with watch.stage("filter"):
            allowed = engine.allowed(scope)

        def stages() -> Rankings:
            candidates = find_candidates(
                question, engine=engine, embedder=embedder, allowed=allowed, config=config, mode=mode, watch=watch
            )
            fused, links = _fused(candidates, config, engine, allowed, watch)
            reranked = None
            if reranker is not None and fused.hits:
                with watch.stage("rerank"):
                    reranked = _rerank(question, fused, engine, reranker, rerank.depth)
            return Rankings(candidates, fused, reranked, links)

        while True:
            found = stages()
            with watch.stage("fetch"):
                hits = describe_hits(engine, found, k)
            if len(hits) == k or not found.candidates.cut_at(config.depth) or config.depth >= allowed.count:
                break
            # One text repeated in many documents can fill every place of a leg.
            config = dataclasses.replace(config, depth=config.depth * _DEEPER)
    return Retrieval(
        query=question,
        mode=mode,
        hits=hits,
        legs=found.candidates.legs,
        fused=found.fused,
        reranked=found.reranked,
        dense_method=found.candidates.dense_method,
        superseded_hidden=allowed.superseded_hidden,
        reranker=reranker.name if reranker is not None else None,
        timings_ms=watch.milliseconds,
        index_version=engine.version,
        scope=scope,
        links=found.links,
    )


def _fused(
    candidates: Candidates, config: RetrieveConfig, engine: Engine, allowed: Allowed, watch: Stopwatch
) -> tuple[Ranking, tuple[Link, ...]]:
    """One ranking of both legs, with what its first documents lead to where that is asked for, and the links there."""
    with watch.stage("fuse"):
        fused = candidates.fused(config)
    if config.graph != "titles" or not fused.hits:
        return fused, ()
    from ragcli.retrieve.graph import follow_titles

    with watch.stage("graph"):
        return follow_titles(fused, engine, allowed)


def _checked(question: str) -> str:
    question = question.encode("utf-8", "replace").decode("utf-8").strip()
    if not question:
        raise ConfigError("the question is empty")
    return question


def _rerank(question: str, fused: Ranking, engine: Engine, reranker: Reranker, depth: int) -> Ranking:
    """The first ``depth`` candidates, in the order of the reranker."""
    ids = [hit.chunk_id for hit in fused.hits[:depth]]
    texts = [chunk.indexed_text for chunk in engine.chunks(ids)]
    return rank(reranker.name, dict(zip(ids, reranker.scores(question, texts), strict=True)))
