"""One case measured, and many cases summed up; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragcli.evaluate.judge.claims import Opinion
from ragcli.evaluate.losses import STAGES, CasePath, final_ranking, first_rank
from ragcli.evaluate.measuring.answer_measures import ANSWER_MEASURES, measure_answer
from ragcli.evaluate.measuring.bootstrap import Bootstrap, estimates
from ragcli.evaluate.measuring.context import CONTEXT_MEASURES, measure_context
from ragcli.evaluate.measuring.measures import measure, measure_names
from ragcli.evaluate.run import CaseResult, Estimate, Loss

_PERCENTILES = (50, 95)


@dataclass(frozen=True, slots=True)
class Measured:
    """A case with everything that was seen of it; ``opinion`` is a judge's."""

    path: CasePath
    loss: Loss | None
    timings_ms: Mapping[str, float]
    opinion: Opinion | None = None


def case_result(measured: Measured, names: Sequence[str]) -> CaseResult:
    """The case's row: ranking measures called ``names``, context measures and, with an answer, answer measures."""
    path, judged = measured.path, measured.path.judged
    case, answer = judged.case, measured.path.answer
    ranking = final_ranking(path.retrieval)
    items = judged.items(ranking)
    values: dict[str, float | None] = {**ranking_measures(items, judged.relevance, names)}
    values.update(measure_context(judged, path.context))
    if answer is not None:
        values.update(measure_answer(judged, answer))
    if measured.opinion is not None:
        values.update(measured.opinion.measures)
    return CaseResult(
        id=case.case_id,
        question=case.question,
        measures=values,
        lost_at=measured.loss.stage if measured.loss else None,
        loss=measured.loss,
        retrieved=tuple(hit.chunk.chunk_id for hit in path.retrieval.hits),
        expected=tuple(unit.name for unit in judged.units),
        ranks=tuple(first_rank(unit, ranking) for unit in judged.units),
        faults=tuple(f"{unit.fault}: {unit.name}: {unit.detail}" for unit in judged.faults),
        answerable=case.answerable,
        expected_answer=tuple(" | ".join(either) for either in case.contains) or case.answers,
        answer=answer.text if answer is not None and answer.found else None,
        found=answer.found if answer is not None else None,
        cited=tuple(citation.chunk_id for citation in answer.citations) if answer is not None else (),
        confidence=answer.confidence if answer is not None else None,
        top_score=path.retrieval.hits[0].score if path.retrieval.hits else None,
        tags=case.tags,
        timings_ms=measured.timings_ms,
        claims=measured.opinion.claims if measured.opinion is not None else (),
        level=judged.level,
        where=case.where,
        items=tuple(items),
        relevance=judged.relevance,
    )


def ranking_measures(
    items: Sequence[str], relevance: Mapping[str, int], names: Sequence[str]
) -> dict[str, float | None]:
    """Ranking measures of the whole candidate list; None for a case without a label."""
    return {name: measure(name, items, relevance) if relevance else None for name in names}


def names_of(cutoffs: Sequence[int], *, answers: bool, extra: Sequence[str] = ()) -> tuple[str, ...]:
    """Every measure of a run, in the order shown."""
    return (*measure_names(cutoffs), *CONTEXT_MEASURES, *(ANSWER_MEASURES if answers else ()), *extra)


def summary(rows: Sequence[CaseResult], names: Sequence[str], how: Bootstrap) -> dict[str, Estimate]:
    """Every measure over all cases."""
    return estimates([row.measures for row in rows], names, how)


def by_tag(rows: Sequence[CaseResult], names: Sequence[str], how: Bootstrap) -> dict[str, dict[str, Estimate]]:
    """Every measure over the cases of each tag, tags sorted."""
    tags = sorted({tag for row in rows for tag in row.tags})
    return {tag: summary([row for row in rows if tag in row.tags], names, how) for tag in tags}


def loss_counts(rows: Sequence[CaseResult]) -> dict[str, int]:
    """Lost cases per stage, in the order of the pipeline; stages that lost none are left out."""
    counts = Counter(row.lost_at for row in rows)
    return {stage: counts[stage] for stage in STAGES if counts[stage]}


def fault_counts(rows: Sequence[CaseResult]) -> dict[str, int]:
    """Cases with a label that no longer fits, per kind."""
    counts = Counter(kind for row in rows for kind in {fault.partition(":")[0] for fault in row.faults})
    return dict(sorted(counts.items()))


def latencies(rows: Sequence[CaseResult]) -> dict[str, dict[str, float]]:
    """Median and 95th percentile of each timed stage, in milliseconds (nearest rank)."""
    stages = list(dict.fromkeys(stage for row in rows for stage in row.timings_ms))
    found = {}
    for stage in stages:
        times = sorted(row.timings_ms[stage] for row in rows if stage in row.timings_ms)
        found[stage] = {f"p{share}": times[-(-len(times) * share // 100) - 1] for share in _PERCENTILES}
    return found
