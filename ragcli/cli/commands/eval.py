"""``rag eval``: a golden set through the pipeline, measured, and gated for a CI job."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragcli.cli.commands import judging
from ragcli.cli.commands.eval_matrix import evaluate_matrix
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
    from ragcli.application.results import Evaluated


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
LabelledFile = Annotated[
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
    labelled: LabelledFile = None,
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
    index = run.index_with(overrides, at=at)
    answers, scope = not retrieval_only, options.scope()
    if matrix is not None:
        if fail_under or save or baseline or at or judge:
            raise ConfigError("--matrix compares its rows: no gate, no --judge, no --save and no --at beside it")
        evaluate_matrix(run, index, matrix, golden, answers, scope, overrides=overrides, reports=report or ())
        return
    _check_targets(save, report or ())
    with progress(run) as show:
        found = index.evaluate(
            golden,
            answers=answers,
            judge=judge,
            judge_repeats=judge_repeats,
            fail_under=_thresholds(fail_under),
            baseline=baseline,
            allow_other_baseline=allow_other,
            progress=show,
            **scope,
        )
    _print(run, found, save=save, reports=report or ())


def _check_targets(save: Path | None, reports: Sequence[Path]) -> None:
    """Raises ConfigError, before the work, for a file that cannot be written or a format that is not known."""
    from ragcli.evaluate.reports.rendering import check_format

    for path in reports:
        check_format(path.name)
        check_target("--report", path)
    if save is not None:
        check_target("--save", save)


def _thresholds(fail_under: list[str] | None) -> dict[str, float]:
    from ragcli.evaluate.gate import parse_threshold

    return dict(parse_threshold(text) for text in fail_under or ())


def _print(run: Invocation, found: Evaluated, *, save: Path | None, reports: Sequence[Path]) -> None:
    """Print, write what was asked for, and end with the verdict's exit code."""
    from ragcli.evaluate.run import write_text

    if save is not None:
        found.save(save)
    for path in reports:
        write_text(path, found.report(path.name))
    run.output.result(found.to_json(), lambda: measured.text(run.output, found.run, found.verdict))
    for notice in found.run.notices:
        run.output.notice(notice)
    if not found.verdict.passed:
        raise typer.Exit(found.verdict.exit_code)


# ``rag eval --suite injection``: poisoned documents against the configured answerer; exit 1 when one is obeyed.


def injection(run: Invocation) -> None:
    """Run the suite and print which documents were obeyed."""
    index = run.index_with()
    with progress(run) as show:
        results = index.run_injection(progress=show)
    obeyed = [result for result in results if result.obeyed]
    content = {
        "schema": "rag.suite/1",
        "suite": "injection",
        "provider": index.config.answer.provider,
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
