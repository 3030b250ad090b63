"""A golden set through the pipeline: every case retrieved (and answered), measured, followed to its loss, summed up.

golden = load_golden(path)
embedder = Prefetched(embedder, [case.question for case in golden.cases])   # one batch for all questions
run = evaluate(golden, engine=engine, retrieve=…, ask=None, scope=scope, config=config, corpus=fingerprint)
verdict = judge_run(run, fail_under=config.eval.fail_under, baseline=load_run(kept), …)
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ragcli.config import Config
from ragcli.errors import ConfigError, GoldenError
from ragcli.evaluate.bootstrap import Bootstrap
from ragcli.evaluate.context import Piece
from ragcli.evaluate.golden import GoldenSet
from ragcli.evaluate.labels import Judged, Resolver, Unit
from ragcli.evaluate.losses import Path, find_loss, legs_to_try
from ragcli.evaluate.measures import measure_names
from ragcli.evaluate.results import (
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
from ragcli.records import Answer, Filter, GoldenCase, Passage, Ranking, Retrieval, Scope, Usage

Retrieve = Callable[[str, Scope], Retrieval]
"""One search. Its ``fused`` and ``reranked`` rankings must reach at least as deep as the largest cutoff."""


class Asked(Protocol):
    """What answering gives back: the shape of ``AskResult``."""

    @property
    def answer(self) -> Answer:
        """The checked answer."""

    @property
    def retrieval(self) -> Retrieval:
        """The search behind it."""

    @property
    def passages(self) -> Sequence[Passage]:
        """What was sent to the generator."""

    @property
    def timings_ms(self) -> Mapping[str, float]:
        """Milliseconds of each stage."""


Ask = Callable[[GoldenCase, Scope], Asked]
Relevancy = Callable[[Sequence[tuple[str, str]]], Sequence[float]]
"""How much each answer speaks about its question, from 0 to 1."""


@dataclass(frozen=True)
class Steps:
    """The collaborators of an evaluation. Without ``ask`` only retrieval is measured.

    ``k`` is how many hits a search asks for (0: as many as come). ``probe`` runs one leg alone (``bm25`` or ``dense``)
    for a lost case whose search did not use it.
    """

    retrieve: Retrieve
    k: int = 0
    ask: Ask | None = None
    probe: Callable[[str, Scope, str], Ranking] | None = None
    parse_filter: Callable[[str], Filter] | None = None
    relevancy: Relevancy | None = None


def evaluate(
    golden: GoldenSet,
    *,
    engine: Engine,
    steps: Steps,
    scope: Scope,
    config: Config,
    corpus: str = "",
    progress: Progress | None = None,
) -> EvalRun:
    """Every case of the golden set through ``steps`` over ``engine``, measured.

    ``scope`` holds for every case, which adds its own filters and groups. ``corpus`` is the fingerprint that a baseline
    is compared by. Raises GoldenError for a label that fits several documents, a malformed filter, or a set none of
    whose labels is in the index.
    """
    started = time.perf_counter()
    judged = resolve(golden, engine)
    resolved = time.perf_counter()
    scopes = [checked_scope(item.case, scope, steps, engine) for item in judged]
    names = measure_names(config.eval.cutoffs)
    rows, usage = [], Usage()
    for number, (item, asked_in) in enumerate(zip(judged, scopes, strict=True), start=1):
        measured = measure_one(item, engine=engine, steps=steps, scope=asked_in)
        answer = measured.path.answer
        usage = usage + answer.usage if answer is not None else usage
        rows.append(case_result(measured, names))
        if progress is not None:
            progress("evaluate", number, len(judged))
    rows = _with_relevancy(rows, steps)
    asked = time.perf_counter()
    return dataclasses.replace(
        summed_up(rows, golden, config, answers=steps.ask is not None, extra=_extra(steps)),
        corpus=corpus,
        index_version=engine.version,
        seconds={"labels": resolved - started, "cases": asked - resolved, "total": time.perf_counter() - started},
        tokens=dataclasses.asdict(usage),
    )


def resolve(golden: GoldenSet, engine: Engine) -> list[Judged]:
    """Every case with its labels resolved. Raises GoldenError when no label at all is in the index."""
    resolver = Resolver(engine)
    judged = [resolver.judge(case) for case in golden.cases]
    labels = [unit for item in judged for unit in item.units]
    if labels and all(unit.fault == "not_in_corpus" for unit in labels):
        raise GoldenError(
            f"{golden.name}: none of its {len(labels)} labels is in index {engine.version}; first: {labels[0].name}",
            hint="another --index, or sources written as rag inspect shows them",
        )
    return judged


def case_scope(case: GoldenCase, scope: Scope, steps: Steps) -> Scope:
    """The scope a case is asked in: the command's, with the case's own filters and groups added."""
    groups = tuple(dict.fromkeys((*scope.groups, *case.groups)))
    if not case.filters:
        return dataclasses.replace(scope, groups=groups)
    if steps.parse_filter is None:
        raise GoldenError(f"{case.where}: filters cannot be used here")
    try:
        filters = tuple(steps.parse_filter(text) for text in case.filters)
    except ConfigError as error:
        raise GoldenError(f"{case.where}: {error.message}", hint=error.hint) from error
    return dataclasses.replace(scope, groups=groups, filters=(*scope.filters, *filters))


def checked_scope(case: GoldenCase, scope: Scope, steps: Steps, engine: Engine) -> Scope:
    """``case_scope``, with its filters tried on the index. Raises GoldenError for a key that it does not know."""
    own = case_scope(case, scope, steps)
    if case.filters:
        try:
            engine.allowed(own)
        except ConfigError as error:
            raise GoldenError(f"{case.where}: {error.message}", hint=error.hint) from error
    return own


def measure_one(judged: Judged, *, engine: Engine, steps: Steps, scope: Scope) -> Measured:
    """One case retrieved, answered when ``ask`` is there, and followed to the stage that lost it."""
    case = judged.case
    if steps.ask is None:
        retrieval = steps.retrieve(case.question, scope)
        path = Path(judged, retrieval, hit_pieces(retrieval))
        timings = retrieval.timings_ms
    else:
        asked = steps.ask(case, scope)
        pieces = tuple(Piece(p.chunk.chunk_id, p.chunk.doc_id, p.span) for p in asked.passages)
        path = Path(judged, asked.retrieval, pieces, asked.answer)
        timings = {**asked.retrieval.timings_ms, **asked.timings_ms}
    path = dataclasses.replace(path, allowed=_allows(engine, scope), truncated=_truncates(engine), k=steps.k)
    loss = find_loss(path)
    if loss is not None and steps.probe is not None and (legs := legs_to_try(path)):
        absent = {leg: steps.probe(case.question, scope, leg) for leg in legs}
        path = dataclasses.replace(path, absent=absent)
        loss = find_loss(path)
    return Measured(path, loss, timings, {})


def hit_pieces(retrieval: Retrieval) -> tuple[Piece, ...]:
    """The hits as the context they would make."""
    return tuple(Piece(hit.chunk.chunk_id, hit.chunk.doc_id, hit.chunk.span) for hit in retrieval.hits)


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
        notices=golden.notices,
    )


def _extra(steps: Steps) -> tuple[str, ...]:
    return ("answer_relevancy",) if steps.ask is not None and steps.relevancy is not None else ()


def _with_relevancy(rows: list[CaseResult], steps: Steps) -> list[CaseResult]:
    """Answer relevancy of all answers in one batch; 0 where an answerable question was declined."""
    if not _extra(steps) or steps.relevancy is None:
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


def _allows(engine: Engine, scope: Scope) -> Callable[[str], bool]:
    """Whether the scope holds a document; the set is computed at most once, and only when a case is lost."""
    found: list[frozenset[str]] = []

    def allows(doc_id: str) -> bool:
        if not found:
            found.append(frozenset(engine.doc_ids(engine.allowed(scope))))
        return doc_id in found[0]

    return allows


def _truncates(engine: Engine) -> Callable[[Unit], bool]:
    """Whether the model's window is smaller than every chunk that could serve a unit."""

    def truncates(unit: Unit) -> bool:
        ids = unit.chunk_ids
        chunks = engine.document_chunks(unit.doc_id)
        serving = [chunk for chunk in chunks if ids is None or chunk.chunk_id in ids]
        return bool(serving) and all(chunk.token_count > engine.embedder.window for chunk in serving)

    return truncates
