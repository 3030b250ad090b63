"""A golden set through the pipeline: every case retrieved (and answered), measured, followed to its loss, summed up.

The caller embeds all questions in one batch (``prefetch.Prefetched``), passes the steps, and hands the run to
``evaluate.gate.judge_run`` for its verdict.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence

from ragcli.config import Config
from ragcli.errors import GoldenError
from ragcli.evaluate.golden_sets.file import GoldenSet
from ragcli.evaluate.golden_sets.labels import Judged, Target
from ragcli.evaluate.golden_sets.resolving import Resolver
from ragcli.evaluate.judge.claims import JUDGED_MEASURES
from ragcli.evaluate.losses import CasePath, find_loss, legs_to_try
from ragcli.evaluate.measuring.bootstrap import Bootstrap
from ragcli.evaluate.measuring.context import ContextPiece
from ragcli.evaluate.measuring.measures import measure_names
from ragcli.evaluate.measuring.results import (
    Measured,
    by_tag,
    case_result,
    fault_counts,
    latencies,
    loss_counts,
    names_of,
    summary,
)
from ragcli.evaluate.run import CaseResult, EvalRun
from ragcli.interfaces import Engine, Progress
from ragcli.pipelines.evaluating.judge import Judging
from ragcli.pipelines.evaluating.seen import SeenDocuments, all_groups
from ragcli.pipelines.evaluating.steps import Relevancy, Steps, checked_scope
from ragcli.records import Retrieval, Scope, Usage

__all__ = ["Steps", "corpus_fingerprint", "evaluate", "measure_one", "resolve", "summed_up"]


def evaluate(
    golden: GoldenSet,
    *,
    engine: Engine,
    steps: Steps,
    scope: Scope,
    config: Config,
    progress: Progress | None = None,
) -> EvalRun:
    """Every case of the golden set through ``steps`` over ``engine``, measured.

    ``scope`` holds for every case, which adds its own filters and groups. Raises GoldenError for a label that fits
    several documents, a malformed filter, or a set none of whose labels is in the index.
    """
    started = time.perf_counter()
    scopes = [checked_scope(case, scope, steps, engine) for case in golden.cases]
    judged = resolve(golden, engine, [each.groups for each in scopes])
    resolved = time.perf_counter()
    names = measure_names(config.eval.cutoffs)
    rows, usage, judging, seen = [], Usage(), Judging(), VisibleDocuments(engine)
    for number, (item, asked_in) in enumerate(zip(judged, scopes, strict=True), start=1):
        measured = measure_one(item, engine=engine, steps=steps, scope=asked_in, seen=seen)
        answer = measured.path.answer
        usage = usage + answer.usage if answer is not None else usage
        judging.add(measured.opinion)
        rows.append(case_result(measured, names))
        if progress is not None:
            progress("evaluate", number, len(judged))
    rows = _with_relevancy(rows, steps)
    asked = time.perf_counter()
    return dataclasses.replace(
        summed_up(rows, golden, config, answers=steps.ask is not None, extra=_extra(steps)),
        corpus=corpus_fingerprint(golden, engine, scope.groups),
        index_version=engine.version,
        seconds={"labels": resolved - started, "cases": asked - resolved, "total": time.perf_counter() - started},
        tokens=dataclasses.asdict(usage + judging.usage),
        judge=judging.summary(steps.judge),
    )


def corpus_fingerprint(golden: GoldenSet, engine: Engine, groups: Sequence[str]) -> str:
    """Identifies the documents that the cases, asked with ``groups``, may see."""
    return SeenDocuments(engine, all_groups([groups, *(case.groups for case in golden.cases)])).fingerprint()


def resolve(golden: GoldenSet, engine: Engine, groups: Sequence[tuple[str, ...]]) -> list[Judged]:
    """Every case with its labels resolved among what its ``groups``, one tuple a case, may see.

    Raises GoldenError when no label at all is in the index as they see it.
    """
    resolvers = {each: Resolver(SeenDocuments(engine, each)) for each in dict.fromkeys(groups)}
    judged = [resolvers[each].judge(case) for case, each in zip(golden.cases, groups, strict=True)]
    labels = [unit for item in judged for unit in item.units]
    if labels and all(unit.fault == "not_in_corpus" for unit in labels):
        raise GoldenError(
            f"{golden.name}: none of its {len(labels)} labels is in index {engine.version}; first: {labels[0].name}",
            hint="another --index, --as GROUP for what is not public, or sources written as rag inspect shows them",
        )
    return judged


def measure_one(
    judged: Judged, *, engine: Engine, steps: Steps, scope: Scope, seen: VisibleDocuments | None = None
) -> Measured:
    """One case retrieved, answered when ``ask`` is there, and followed to the stage that lost it."""
    seen = seen or VisibleDocuments(engine)
    case, opinion = judged.case, None
    if steps.ask is None:
        retrieval = steps.retrieve(steps.question(case), scope)
        path = CasePath(judged, retrieval, hit_pieces(retrieval))
        timings = retrieval.timings_ms
    else:
        asked = steps.ask(case, scope)
        pieces = tuple(ContextPiece(p.chunk.chunk_id, p.chunk.doc_id, p.span) for p in asked.passages)
        path = CasePath(judged, asked.retrieval, pieces, asked.answer)
        opinion = steps.judge.case(case, asked.answer, asked.passages) if steps.judge is not None else None
        timings = {**asked.retrieval.timings_ms, **asked.timings_ms}
    path = dataclasses.replace(path, allowed=seen.within(scope), truncated=_truncates(engine), k=steps.k)
    loss = find_loss(path)
    if loss is not None and steps.probe is not None and (legs := legs_to_try(path)):
        absent = {leg: steps.probe(steps.question(case), scope, leg) for leg in legs}
        path = dataclasses.replace(path, absent=absent)
        loss = find_loss(path)
    return Measured(path, loss, timings, opinion)


def hit_pieces(retrieval: Retrieval) -> tuple[ContextPiece, ...]:
    """The hits as the context they would make."""
    return tuple(ContextPiece(hit.chunk.chunk_id, hit.chunk.doc_id, hit.chunk.span) for hit in retrieval.hits)


def summed_up(
    rows: Sequence[CaseResult], golden: GoldenSet, config: Config, *, answers: bool, extra: Sequence[str] = ()
) -> EvalRun:
    """The rows as a run, without what only the caller knows (corpus, version, times)."""
    how = Bootstrap(config.eval.confidence, config.eval.resamples, config.eval.seed)
    names = names_of(config.eval.cutoffs, answers=answers, extra=extra)
    return EvalRun(
        golden=golden.name,
        golden_digest=golden.digest,
        corpus="",
        cases=len(rows),
        index_version="",
        config_hash=config.hash(),
        measures=summary(rows, names, how),
        by_tag=by_tag(rows, names, how),
        losses=loss_counts(rows),
        per_case=tuple(rows),
        faults=fault_counts(rows),
        latency_ms=latencies(rows),
        notices=(*golden.notices, *_shallow(config)),
    )


def _shallow(config: Config) -> list[str]:
    """Measures at a k that no ranking reaches are those of a shorter ranking: said, not hidden."""
    deepest, depth = max(config.eval.cutoffs, default=0), config.retrieve.depth
    return [f"retrieve.depth is {depth}: measures at {deepest} see no more than that"] if deepest > depth else []


def _extra(steps: Steps) -> tuple[str, ...]:
    if steps.ask is None:
        return ()
    return (
        *(("answer_relevancy",) if steps.relevancy is not None else ()),
        *(JUDGED_MEASURES if steps.judge is not None else ()),
    )


def _with_relevancy(rows: list[CaseResult], steps: Steps) -> list[CaseResult]:
    """Answer relevancy of all answers in one batch; 0 where an answerable question was declined."""
    if steps.ask is None or steps.relevancy is None:
        return rows
    answered = [row for row in rows if row.answer is not None]
    values = dict(zip([row.id for row in answered], _scores(steps.relevancy, answered), strict=True))
    return [
        dataclasses.replace(row, measures={**row.measures, "answer_relevancy": _relevancy(row, values)}) for row in rows
    ]


def _scores(relevancy: Relevancy, rows: Sequence[CaseResult]) -> Sequence[float]:
    return relevancy([(row.question, row.answer or "") for row in rows]) if rows else []


def _relevancy(row: CaseResult, values: Mapping[str, float]) -> float | None:
    return values.get(row.id, 0.0 if row.answerable else None)


class VisibleDocuments:
    """Which documents a scope holds, computed once per scope and only when a case is lost."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[Scope, frozenset[str]] = {}

    def within(self, scope: Scope) -> Callable[[str], bool]:
        """Whether the scope holds a document."""

        def allows(doc_id: str) -> bool:
            if scope not in self._known:
                self._known[scope] = frozenset(self._engine.doc_ids(self._engine.allowed(scope)))
            return doc_id in self._known[scope]

        return allows


def _truncates(engine: Engine) -> Callable[[Target], bool]:
    """Whether the model's window is smaller than every chunk that could serve a unit."""

    def truncates(unit: Target) -> bool:
        ids = unit.chunk_ids
        chunks = engine.document_chunks(unit.doc_id)
        serving = [chunk for chunk in chunks if ids is None or chunk.chunk_id in ids]
        return bool(serving) and all(chunk.token_count > engine.embedder.window for chunk in serving)

    return truncates
