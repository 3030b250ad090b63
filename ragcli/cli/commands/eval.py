"""``rag eval``: a golden set through the pipeline, measured, and gated for a CI job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragcli import wiring
from ragcli.cli.commands import judging
from ragcli.cli.commands.matrix import Asked, evaluate_matrix
from ragcli.cli.invocation import Invocation, epilog, invocation
from ragcli.cli.output import Output, shortened
from ragcli.cli.progress import progress
from ragcli.cli.retrieval_options import (
    AsOf,
    At,
    Filters,
    Groups,
    IncludeSuperseded,
    K,
    Mode,
    NoRerank,
    RetrievalOptions,
)
from ragcli.cli.targets import check_target
from ragcli.cli.views import measured
from ragcli.errors import ConfigError, ExitCode

if TYPE_CHECKING:
    from ragcli.answer.injection import InjectionResult
    from ragcli.config import Config
    from ragcli.evaluate.gate import Verdict
    from ragcli.evaluate.run import EvalRun
    from ragcli.pipelines.evaluating.judge import Judge


def register(app: typer.Typer) -> None:
    """Add the command."""
    examples = (
        "rag eval golden.jsonl --fail-under Hit@5=0.95",
        "rag eval golden.jsonl --baseline main.json --report eval.html",
    )
    codes = (ExitCode.GATE, ExitCode.MODEL, ExitCode.INDEX)
    app.command("eval", epilog=epilog(*examples, codes=codes))(evaluate)


Golden = Annotated[
    Path | None, typer.Argument(metavar="GOLDEN.jsonl|judge-check", help="The golden set, one JSON object a line.")
]
Labelled = Annotated[
    Path | None, typer.Argument(metavar="LABELLED.jsonl", help="With judge-check: answers that people have judged.")
]
RetrievalOnly = Annotated[bool, typer.Option("--retrieval-only", help="Measure the search alone.")]
FailUnder = Annotated[
    list[str] | None, typer.Option(metavar="MEASURE=VALUE", help="Exit 1 under it; repeatable, such as R@5=0.9.")
]
Reports = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="Write .html, .md, .xml (JUnit), .json, .run or .qrels (TREC); repeatable."),
]
Save = Annotated[Path | None, typer.Option(metavar="FILE", help="Keep this run as JSON.")]
Baseline = Annotated[Path | None, typer.Option(metavar="FILE", help="A kept run to compare with.")]
Tolerance = Annotated[float | None, typer.Option(min=0, max=1, help="A drop up to this is no regression.")]
AllowOther = Annotated[bool, typer.Option("--allow-other-baseline", help="Of another corpus or golden set too.")]
Matrix = Annotated[
    Path | None, typer.Option(metavar="FILE.yaml", help="Run the set over several settings, as one table: no gate.")
]
Suite = Annotated[
    Literal["injection"] | None, typer.Option(help="A suite that comes with ragcli, instead of a golden set.")
]
JudgeToo = Annotated[bool, typer.Option("--judge", help="Have answers judged by the configured model.")]
Repeats = Annotated[int, typer.Option(min=1, help="How often each answer is judged.")]


def evaluate(
    context: typer.Context,
    golden: Golden = None,
    labelled: Labelled = None,
    retrieval_only: RetrievalOnly = False,
    fail_under: FailUnder = None,
    report: Reports = None,
    save: Save = None,
    baseline: Baseline = None,
    tolerance: Tolerance = None,
    allow_other: AllowOther = False,
    matrix: Matrix = None,
    suite: Suite = None,
    judge: JudgeToo = False,
    judge_repeats: Repeats = 1,
    mode: Mode = None,
    k: K = None,
    filters: Filters = None,
    groups: Groups = None,
    as_of: AsOf = None,
    include_superseded: IncludeSuperseded = False,
    no_rerank: NoRerank = False,
    at: At = None,
) -> None:
    """Measure retrieval, answers and abstention on a golden set; say where each miss was lost."""
    from ragcli.evaluate.golden_sets.file import load_golden

    run = invocation(context)
    if str(golden) == "judge-check":
        judging.check(run, labelled, repeats=judge_repeats)
        return
    if suite is not None:
        injection(run)
        return
    if golden is None:
        raise ConfigError("rag eval needs a golden set", hint="rag eval GOLDEN.jsonl; rag golden draft proposes one")
    if labelled is not None:
        raise ConfigError(f"{labelled}: rag eval takes one golden set", hint="rag eval judge-check LABELLED.jsonl")
    options = RetrievalOptions(k, filters, groups, as_of, include_superseded, no_rerank, at, mode)
    overrides = options.overrides() | {"eval.tolerance": tolerance}
    config = run.config(overrides)
    asked = Asked(load_golden(golden), options.scope(config), not retrieval_only)
    if matrix is not None:
        if fail_under or save or baseline or at or judge:
            raise ConfigError("--matrix compares its rows: no gate, no --judge, no --save and no --at beside it")
        if config.eval.fail_under:
            run.output.notice("eval.fail_under is not applied: --matrix compares its rows and gates none of them")
        evaluate_matrix(run, matrix, asked, overrides=overrides, reports=report or ())
        return
    gate = Gate(_thresholds(config, fail_under), baseline, allow_other)
    judged = judging.load(config, judge_repeats) if judge else None
    _gated(run, wiring.Stages(config, at=at), asked, gate=gate, judge=judged, save=save, reports=report or ())


@dataclass(frozen=True)
class Gate:
    """What a run is held against."""

    thresholds: dict[str, float]
    baseline: Path | None
    allow_other: bool


def _gated(
    run: Invocation,
    stages: wiring.Stages,
    asked: Asked,
    *,
    gate: Gate,
    judge: Judge | None,
    save: Path | None,
    reports: Sequence[Path],
) -> None:
    """Evaluate, print, write what was asked for, and end with the verdict's exit code."""
    from ragcli.evaluate.reports.rendering import check_format, render, to_json
    from ragcli.evaluate.run import load_run, save_run, write_text

    for path in reports:
        check_format(path.name)
        check_target("--report", path)
    if save is not None:
        check_target("--save", save)
    before = load_run(gate.baseline) if gate.baseline is not None else None
    wiring.check_gate(
        asked.golden,
        stages,
        answers=asked.answers,
        judged=judge is not None,
        fail_under=gate.thresholds,
        baseline=None if gate.allow_other else before,
        name=str(gate.baseline),
    )
    with progress(run) as show:
        found = wiring.evaluate(asked.golden, stages, asked.scope, answers=asked.answers, judge=judge, progress=show)
    verdict = _verdict(found, stages.config, gate, before)
    value = to_json(found, verdict)
    if save is not None:
        save_run(found, save, gate=value["gate"])
    for path in reports:
        write_text(path, render(found, verdict, path.name, baseline=before))
    run.output.result(value, lambda: measured.text(run.output, found, verdict))
    for notice in found.notices:
        run.output.notice(notice)
    if not verdict.passed:
        raise typer.Exit(verdict.exit_code)


def _thresholds(config: Config, fail_under: list[str] | None) -> dict[str, float]:
    """Thresholds of the settings, those of the command line in front of them."""
    from ragcli.evaluate.gate import parse_threshold

    return {**config.eval.fail_under, **dict(parse_threshold(text) for text in fail_under or ())}


def _verdict(found: EvalRun, config: Config, gate: Gate, baseline: EvalRun | None) -> Verdict:
    from ragcli.evaluate.gate import judge_run
    from ragcli.evaluate.measuring.bootstrap import Bootstrap

    settings = config.eval
    return judge_run(
        found,
        fail_under=gate.thresholds,
        baseline=baseline,
        baseline_name=str(gate.baseline or ""),
        allow_other=gate.allow_other,
        tolerance=settings.tolerance,
        how=Bootstrap(settings.confidence, settings.resamples, settings.seed),
    )


# ``rag eval --suite injection``: poisoned documents against the configured answerer; exit 1 when one is obeyed.


def injection(run: Invocation) -> None:
    """Run the suite and print which documents were obeyed."""
    config = run.config()
    with progress(run) as show:
        results = wiring.run_injection(config, progress=show)
    obeyed = [result for result in results if result.obeyed]
    content = {
        "schema": "rag.suite/1",
        "suite": "injection",
        "provider": config.answer.provider,
        "cases": len(results),
        "answered": sum(result.answered for result in results),
        "obeyed": len(obeyed),
        "passed": not obeyed,
        "results": [
            {"id": r.case.id, "kind": r.case.kind, "obeyed": r.obeyed, "answered": r.answered, "answer": r.answer}
            for r in results
        ],
    }
    run.output.result(content, lambda: _text(run.output, results))
    if obeyed:
        raise typer.Exit(ExitCode.GATE)


def _text(output: Output, results: list[InjectionResult]) -> str:
    obeyed = [result for result in results if result.obeyed]
    answered = sum(result.answered for result in results)
    line = f"{len(results)} poisoned documents: {len(obeyed)} obeyed; {answered} questions answered all the same"
    if not obeyed:
        return line
    rows = [(r.case.id, r.case.kind, shortened(r.obeyed, 60), shortened(r.answer, 60)) for r in obeyed]
    return "\n".join([output.table(("case", "kind", "obeyed", "answer"), rows), line])
