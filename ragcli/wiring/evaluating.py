"""Evaluating: the pipeline as the steps that a golden set is run through."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.wiring.models import load_embedder, load_text_model
from ragcli.wiring.reading import Stages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragcli.answer.calibration import Tuned
    from ragcli.answer.injection import InjectionResult
    from ragcli.config import Config
    from ragcli.evaluate.golden_sets.file import GoldenSet
    from ragcli.evaluate.run import EvalRun
    from ragcli.interfaces import Progress
    from ragcli.pipelines.evaluating.judge import Judge
    from ragcli.pipelines.evaluating.steps import Steps
    from ragcli.records import AskResult, GoldenCase, Scope


def evaluation_steps(stages: Stages, *, answers: bool, judge: Judge | None = None) -> Steps:
    """What an evaluation runs each case through; without ``answers`` only retrieval."""
    from ragcli.answer.extract.followup import standalone
    from ragcli.filters import parse_filter
    from ragcli.pipelines.evaluating.explain import leg_probe
    from ragcli.pipelines.evaluating.steps import Steps

    def ask(case: GoldenCase, scope: Scope) -> AskResult:
        return stages.ask(case.question, scope, earlier=earlier(case))

    return Steps(
        stages.retrieve,
        stages.config.retrieve.k,
        ask=ask if answers else None,
        probe=leg_probe(stages.engine, lambda: stages.embedder),
        parse_filter=parse_filter,
        standalone=lambda case: standalone(case.question, earlier(case)),
        relevancy=None if stages.lexical else lambda pairs: relevancy(stages, pairs),
        judge=judge,
    )


def earlier(case: GoldenCase) -> list[str]:
    """The questions before a case's own, each made to stand alone by those before it."""
    from ragcli.answer.extract.followup import standalone

    asked: list[str] = []
    for question in case.history:
        asked.append(standalone(question, asked))
    return asked


def evaluate(
    golden: GoldenSet,
    stages: Stages,
    scope: Scope,
    *,
    answers: bool,
    judge: Judge | None = None,
    progress: Progress | None = None,
) -> EvalRun:
    """A golden set through the stages; without ``answers`` only retrieval is measured."""
    from ragcli.pipelines.evaluating.evaluate import evaluate as run_evaluation

    steps = evaluation_steps(stages, answers=answers, judge=judge)
    stages.expect([steps.question(case) for case in golden.cases])
    return run_evaluation(
        golden,
        engine=stages.engine,
        steps=steps,
        scope=scope,
        config=stages.config,
        progress=progress,
    )


def check_gate(
    golden: GoldenSet,
    stages: Stages,
    *,
    answers: bool,
    judged: bool,
    fail_under: Mapping[str, float],
    baseline: EvalRun | None,
    name: str,
) -> None:
    """Raises ConfigError for a gate that cannot be decided, before anything is run: see ``evaluate.gate``."""
    from ragcli.evaluate.gate import check_comparable, check_thresholds
    from ragcli.evaluate.judge.claims import JUDGED_MEASURES
    from ragcli.evaluate.measuring.results import names_of
    from ragcli.pipelines.evaluating.evaluate import corpus_fingerprint

    extra = () if not answers else ("answer_relevancy", *(JUDGED_MEASURES if judged else ()))
    check_thresholds(fail_under, names_of(stages.config.eval.cutoffs, answers=answers, extra=extra))
    if baseline is not None:
        corpus = corpus_fingerprint(stages.engine)
        check_comparable(baseline, name, golden_digest=golden.digest, corpus=corpus)


def relevancy(stages: Stages, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Cosine of each question with its answer, not below 0."""
    questions = stages.embedder.queries([question for question, _ in pairs])
    answers = stages.embedder.passages([answer for _, answer in pairs])
    return [max(0.0, float(value)) for value in (questions * answers).sum(axis=1)]


def load_judge(config: Config, *, repeats: int = 1, agreement: str = "") -> Judge:
    """The model of the configured provider as a judge; offline, the deterministic support check stands in."""
    from ragcli.answer.check.support import check
    from ragcli.pipelines.evaluating.judge import model_judge, rule_judge

    if config.answer.provider == "anthropic":
        model = load_text_model(config)
        return model_judge(model.name, model.complete, repeats=repeats, agreement=agreement)

    def supports(sentence: str, evidence: str) -> bool:
        return check(sentence, evidence).support in ("verbatim", "close", "carried")

    return rule_judge(supports, agreement=agreement)


@dataclass(frozen=True, slots=True)
class MovedRank:
    """A label of a golden case that two versions rank differently; None: not retrieved."""

    case_id: str
    question: str
    expected: str
    before: int | None
    after: int | None


def moved_ranks(golden: Path, config: Config, versions: tuple[str, str], scope: Scope) -> list[MovedRank]:
    """The labels of a golden set whose rank differs between two versions, in the order of the file."""
    from ragcli.evaluate.golden_sets.file import load_golden

    cases = load_golden(golden)
    runs = [evaluate(cases, Stages(config, at=version), scope, answers=False) for version in versions]
    return [
        MovedRank(old.id, old.question, expected, was, now)
        for old, new in zip(runs[0].per_case, runs[1].per_case, strict=True)
        for expected, was, now in zip(old.expected, old.ranks, new.ranks, strict=True)
        if was != now
    ]


def tune(golden: GoldenSet, stages: Stages, scope: Scope, progress: Progress | None = None) -> Tuned:
    """The fitted ``answer.min_confidence``, with its cross-validated gain."""
    from ragcli.pipelines.evaluating.steps import case_scope
    from ragcli.pipelines.evaluating.tune import tune as run_tuning

    stages.expect([case.question for case in golden.cases])
    steps = evaluation_steps(stages, answers=False)
    return run_tuning(
        golden.cases,
        retrieve=stages.retrieve,
        engine=stages.engine,
        embedder=None if stages.lexical else stages.embedder,
        tokenizer=stages.tokenizer,
        scope_of=lambda case: case_scope(case, scope, steps),
        config=stages.config,
        progress=progress,
    )


def run_injection(config: Config, *, progress: Progress | None = None) -> list[InjectionResult]:
    """The injection suite through the configured answerer; it needs no index."""
    from ragcli.answer.loading import load_generator
    from ragcli.pipelines.evaluating.injection import run_suite

    embedder = None if config.retrieve.mode == "bm25" else load_embedder(config)
    generator = load_generator(config, embedder=embedder, environ=os.environ)
    return run_suite(generator, progress=progress)
