"""A golden set asked of the reader of one version: the reader as the steps of an evaluation, and what they lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragcli.answer.calibration import Tuned
from ragcli.answer.extract.followup import EarlierQuestion, meanings
from ragcli.evaluate.gate import check_comparable, check_thresholds
from ragcli.evaluate.golden_sets.file import GoldenSet
from ragcli.evaluate.judge.claims import JUDGED_MEASURES
from ragcli.evaluate.measuring.results import names_of
from ragcli.evaluate.run import EvalRun
from ragcli.filters import parse_filter
from ragcli.interfaces import Embedder, Progress
from ragcli.pipelines.asking.reader import Reader
from ragcli.pipelines.evaluating.evaluate import corpus_fingerprint, evaluate
from ragcli.pipelines.evaluating.explain import leg_probe
from ragcli.pipelines.evaluating.judge import Judge
from ragcli.pipelines.evaluating.steps import Steps, case_scope
from ragcli.pipelines.evaluating.tune import tune
from ragcli.records import AskResult, GoldenCase, Scope


def steps_of(reader: Reader, *, answers: bool, judge: Judge | None = None) -> Steps:
    """What an evaluation runs each case through; without ``answers`` only retrieval."""

    def ask(case: GoldenCase, scope: Scope) -> AskResult:
        return reader.ask(case.question, scope, earlier=earlier(case))

    return Steps(
        reader.retrieve,
        reader.config.retrieve.k,
        ask=ask if answers else None,
        probe=leg_probe(reader.engine, lambda: reader.embedder),
        parse_filter=parse_filter,
        standalone=lambda case: meanings(case.question, earlier(case))[0].question,
        relevancy=None if reader.lexical else lambda pairs: relevancy(reader.embedder, pairs),
        judge=judge,
    )


def earlier(case: GoldenCase) -> list[EarlierQuestion]:
    """The questions before a case's own, each made to stand alone by those before it."""
    asked: list[EarlierQuestion] = []
    for question in case.history:
        asked.append(EarlierQuestion(meanings(question, asked)[0].question))
    return asked


def relevancy(embedder: Embedder, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Cosine of each question with its answer, not below 0."""
    questions = embedder.queries([question for question, _ in pairs])
    answers = embedder.passages([answer for _, answer in pairs])
    return [max(0.0, float(value)) for value in (questions * answers).sum(axis=1)]


def evaluate_reader(
    golden: GoldenSet,
    reader: Reader,
    scope: Scope,
    *,
    answers: bool,
    judge: Judge | None = None,
    progress: Progress | None = None,
) -> EvalRun:
    """A golden set asked of a version; without ``answers`` only retrieval is measured."""
    steps = steps_of(reader, answers=answers, judge=judge)
    reader.expect([steps.question(case) for case in golden.cases])
    return evaluate(golden, engine=reader.engine, steps=steps, scope=scope, config=reader.config, progress=progress)


def check_gate(
    golden: GoldenSet,
    reader: Reader,
    scope: Scope,
    *,
    answers: bool,
    judged: bool,
    fail_under: Mapping[str, float],
    baseline: EvalRun | None,
    name: str,
) -> None:
    """Raises ConfigError for a gate that cannot be decided, before anything is run: see ``evaluate.gate``."""
    extra = () if not answers else ("answer_relevancy", *(JUDGED_MEASURES if judged else ()))
    check_thresholds(fail_under, names_of(reader.config.eval.cutoffs, answers=answers, extra=extra))
    if baseline is not None:
        corpus = corpus_fingerprint(golden, reader.engine, scope.groups)
        check_comparable(baseline, name, golden_digest=golden.digest, corpus=corpus)


def tune_reader(golden: GoldenSet, reader: Reader, scope: Scope, progress: Progress | None = None) -> Tuned:
    """The fitted ``answer.min_confidence``, with its cross-validated gain."""
    reader.expect([case.question for case in golden.cases])
    steps = steps_of(reader, answers=False)
    return tune(
        golden.cases,
        retrieve=reader.retrieve,
        engine=reader.engine,
        embedder=None if reader.lexical else reader.embedder,
        tokenizer=reader.tokenizer,
        scope_of=lambda case: case_scope(case, scope, steps),
        config=reader.config,
        progress=progress,
    )


@dataclass(frozen=True, slots=True)
class MovedRank:
    """A label of a golden case that two versions rank differently; None: not retrieved."""

    case_id: str
    question: str
    expected: str
    before: int | None
    after: int | None


def moved_ranks(golden: GoldenSet, before: Reader, after: Reader, scope: Scope) -> list[MovedRank]:
    """The labels of a golden set whose rank differs between two versions, in the order of the file."""
    runs = [evaluate_reader(golden, reader, scope, answers=False) for reader in (before, after)]
    return [
        MovedRank(old.id, old.question, expected, was, now)
        for old, new in zip(runs[0].per_case, runs[1].per_case, strict=True)
        for expected, was, now in zip(old.expected, old.ranks, new.ranks, strict=True)
        if was != now
    ]
