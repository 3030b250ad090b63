"""Which stage lost a case: the first place on the way from corpus to answer where the expected passage is gone.

Pure: what happened at each stage comes in as values. A case is followed through the unit that came furthest, so a case
is lost only when nothing it asks for reached the generator, or when the answer went wrong with it in hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragcli.evaluate.golden_sets.labels import Judged, Target
from ragcli.evaluate.measuring.answer_measures import said
from ragcli.evaluate.measuring.compare import contains
from ragcli.evaluate.measuring.context import ContextPiece, holds
from ragcli.evaluate.run import Loss
from ragcli.records import Answer, Ranking, Retrieval


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage's name in words and the settings that act on it."""

    title: str
    setting: str


STAGES: Mapping[str, Stage] = {
    "not_in_corpus": Stage("not in the corpus", "rag ingest the source; ingest.include, ingest.exclude; or the label"),
    "not_in_text": Stage("not in the parsed text", "rag inspect the source; ingest.ocr, ingest.strip_boilerplate"),
    "cut_by_chunking": Stage("cut apart by chunking", "chunk.max_tokens, chunk.overlap, chunk.strategy, chunk.parent"),
    "truncated": Stage("truncated by the embedding model", "chunk.max_tokens, embed.window, embed.model"),
    "filtered": Stage("filtered out", "--filter, --as, --as-of, --include-superseded; index.default_acl"),
    "bm25": Stage("BM25 did not run or found nothing", "retrieve.mode"),
    "dense": Stage("dense search did not run or found nothing", "retrieve.mode"),
    "candidates": Stage("below the candidates of BM25 and dense", "retrieve.depth, embed.model, chunk.context"),
    "fusion": Stage("lost in fusion", "retrieve.fusion, retrieve.dense_weight, retrieve.rrf_k"),
    "reranking": Stage("lost in reranking", "rerank.method, rerank.model, rerank.depth"),
    "k": Stage("cut by k", "retrieve.k, rerank.method"),
    "budget": Stage("cut by the passage budget", "answer.passages, answer.passage_tokens"),
    "declined": Stage("wrongly declined", "answer.min_confidence; rag tune"),
    "generator": Stage("not used by the generator", "answer.provider, answer.model, answer.sentences"),
    "citation": Stage("cited wrongly", "answer.provider, answer.model"),
    "answered": Stage("answered although nothing answers", "answer.min_confidence; rag tune"),
}
"""Every stage that can lose a case, in the order of the pipeline."""
ANSWER_STAGES = frozenset({"budget", "declined", "generator", "citation", "answered"})
"""Stages that only a run with answers reaches."""


@dataclass(frozen=True, slots=True)
class CasePath:
    """What happened to one case.

    ``context`` is what reached the generator (without one: the hits). ``allowed`` says whether the asker may see a
    document, ``truncated`` whether the model's window cut every chunk of a unit. ``absent`` holds the ranking that a
    leg which did not run would have given, where it was tried; ``k`` how many hits were asked for (0: as many as came).
    """

    judged: Judged
    retrieval: Retrieval
    context: Sequence[ContextPiece]
    answer: Answer | None = None
    allowed: Callable[[str], bool] = lambda doc_id: True
    truncated: Callable[[Target], bool] = lambda unit: False
    absent: Mapping[str, Ranking] | None = None
    k: int = 0


def find_loss(path: CasePath) -> Loss | None:
    """The first stage that lost the case, None when it was not lost or nothing was expected."""
    case = path.judged.case
    if not case.answerable and path.answer is not None:
        return _loss("answered", "the question has no answer in the corpus") if path.answer.found else None
    units = path.judged.evidence or path.judged.units
    if units:
        lost = [_retrieval_loss(unit, path) for unit in units]
        if None not in lost:
            return max((loss for loss in lost if loss), key=_progress)
    return _answer_loss(path, units) if path.answer is not None else None


def final_ranking(retrieval: Retrieval) -> list[str]:
    """Chunk ids in final order to the depth of the candidates: hits, then the reranked, then the fused ones."""
    reranked = retrieval.reranked.hits if retrieval.reranked is not None else ()
    ids = [hit.chunk.chunk_id for hit in retrieval.hits]
    return list(dict.fromkeys([*ids, *(hit.chunk_id for hit in (*reranked, *retrieval.fused.hits))]))


def first_rank(unit: Target, chunk_ids: Iterable[str]) -> int | None:
    """Rank from 1 of the first chunk that serves the unit."""
    return next((rank for rank, chunk_id in enumerate(chunk_ids, start=1) if unit.served_by(chunk_id)), None)


def legs_to_try(path: CasePath) -> tuple[str, ...]:
    """Legs that did not run or found nothing: worth trying to say whether they would have found the passage."""
    return tuple(leg for leg in ("bm25", "dense") if not _hits(path.retrieval.legs.get(leg)))


def _retrieval_loss(unit: Target, path: CasePath) -> Loss | None:
    """Where this unit was lost on its way to the generator; None when it got there."""
    if any(holds(unit, piece) for piece in path.context):
        return None
    if unit.fault is not None:
        return _loss(unit.fault, f"{unit.name}: {unit.detail}")
    ids = [hit.chunk.chunk_id for hit in path.retrieval.hits]
    if (rank := first_rank(unit, ids)) is not None:
        return _loss("budget", f"{unit.name}: rank {rank} of {len(ids)}, not among the {len(path.context)} sent")
    if not path.allowed(unit.doc_id):
        return _loss("filtered", f"{unit.name}: {unit.doc_id} is outside the filters, groups or dates of the question")
    return _ranking_loss(unit, path, max(path.k, len(ids)))


def _ranking_loss(unit: Target, path: CasePath, k: int) -> Loss:
    retrieval = path.retrieval
    legs = {leg: _rank_in(unit, retrieval.legs.get(leg)) for leg in ("bm25", "dense")}
    fused, final = _rank_in(unit, retrieval.fused), first_rank(unit, final_ranking(retrieval))
    seen = f"{unit.name}: {_leg_words(retrieval, legs)}"
    for leg in legs_to_try(path):
        rank = _rank_in(unit, (path.absent or {}).get(leg))
        if rank is not None and rank <= k:
            return _loss(leg, f"{seen}; {leg} alone would put it at rank {rank}")
    if fused is None:
        if path.truncated(unit):
            return _loss("truncated", f"{seen}; its chunk is longer than the model's window")
        empty = legs_to_try(path)
        return _loss(empty[0] if len(empty) == 1 else "candidates", seen)
    where = f"{seen}; fused rank {fused}, final rank {final}, k = {k}"
    if retrieval.reranked is not None and fused <= k:
        return _loss("reranking", where)
    best = min(rank for rank in (*legs.values(), fused) if rank is not None)
    if fused > k >= best:
        return _loss("fusion", where)
    return _loss("k", where)


def _answer_loss(path: CasePath, units: Sequence[Target]) -> Loss | None:
    answer, case = path.answer, path.judged.case
    assert answer is not None
    if not answer.found:
        return _loss("declined", f"reason {answer.not_found_reason}") if case.answerable else None
    right = _is_right(path, answer)
    if right is False:
        return _loss("generator", "the answer does not hold what is expected")
    bad = [s.status for s in answer.sentences if s.status in ("misattributed", "unsupported", "uncited")]
    if bad:
        return _loss("citation", f"{len(bad)} of {len(answer.sentences)} sentences {', '.join(sorted(set(bad)))}")
    cited = [citation.chunk_id for citation in answer.citations]
    pieces = [piece for piece in path.context if piece.chunk_id in cited]
    if units and not any(holds(unit, piece) for unit in units for piece in pieces):
        return _loss("citation" if right else "generator", f"cited {', '.join(cited) or 'nothing'} instead")
    return None


def _is_right(path: CasePath, answer: Answer) -> bool | None:
    """Whether the answer holds what is expected; None when only a free text, or nothing, is known to compare with."""
    case = path.judged.case
    if case.contains:
        return all(any(contains(said(answer), text) for text in either) for either in case.contains)
    if case.answers and min(len(text.split()) for text in case.answers) <= _SHORT_ANSWER_WORDS:
        return any(contains(said(answer), text, whole=True) for text in case.answers)
    return None


_SHORT_ANSWER_WORDS = 6  # a longer expected answer is prose that a right answer need not repeat


def _loss(stage: str, detail: str) -> Loss:
    return Loss(stage, detail, STAGES[stage].setting)


def _progress(loss: Loss) -> int:
    return list(STAGES).index(loss.stage)


def _hits(ranking: Ranking | None) -> bool:
    return ranking is not None and bool(ranking.hits)


def _rank_in(unit: Target, ranking: Ranking | None) -> int | None:
    return first_rank(unit, (hit.chunk_id for hit in ranking.hits)) if ranking is not None else None


def _leg_words(retrieval: Retrieval, ranks: Mapping[str, int | None]) -> str:
    words = []
    for leg, rank in ranks.items():
        ranking = retrieval.legs.get(leg)
        if ranking is None:
            words.append(f"{leg} did not run")
        else:
            words.append(f"{leg} rank {rank}" if rank else f"{leg} not among its {len(ranking.hits)}")
    return ", ".join(words)
