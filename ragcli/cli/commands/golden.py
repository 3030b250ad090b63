"""``rag golden``: propose, check and extend a golden set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragcli import wiring
from ragcli.cli.invocation import Invocation, epilog, invocation
from ragcli.cli.output import json_safe, one_line
from ragcli.cli.progress import progress
from ragcli.cli.retrieval_options import AsOf, At, Groups, IncludeSuperseded, RetrievalOptions
from ragcli.codec import encode
from ragcli.errors import ExitCode

if TYPE_CHECKING:
    from ragcli.evaluate.golden_sets.lint import Finding

File = Annotated[Path, typer.Argument(metavar="GOLDEN.jsonl", help="The golden set.")]
To = Annotated[Path | None, typer.Option("--to", metavar="FILE", help="Add to this golden set instead of printing.")]


def register(app: typer.Typer) -> None:
    """Add the command group."""
    group = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Make, check and extend a golden set.")
    codes = (ExitCode.MODEL, ExitCode.INDEX)
    examples = ("rag golden draft -n 40 --to golden.jsonl", "rag golden draft --model --unanswerable 0.3")
    group.command("draft", epilog=epilog(*examples, codes=codes))(draft)
    examples = ("rag golden lint golden.jsonl", "rag golden lint golden.jsonl --ask --json")
    group.command("lint", epilog=epilog(*examples, codes=(ExitCode.GATE, *codes)))(lint)
    examples = (
        "rag golden promote 20260301T101500-1a2b3c4d --to golden.jsonl",
        "rag golden promote 20260301T1015 --expect hr/remote-policy.md",
    )
    group.command("promote", epilog=epilog(*examples, codes=(ExitCode.NOT_FOUND, *codes)))(promote)
    examples = ("rag golden draft --to golden.jsonl", "rag golden lint golden.jsonl")
    app.add_typer(group, name="golden", epilog=epilog(*examples, codes=codes))


def draft(
    context: typer.Context,
    number: Annotated[int, typer.Option("-n", min=1, metavar="N", help="How many questions at most.")] = 50,
    unanswerable: Annotated[float, typer.Option(min=0, max=1, help="Share that should have no answer.")] = 0.2,
    model: Annotated[bool, typer.Option("--model", help="Let the configured language model write them.")] = False,
    to: To = None,
    groups: Groups = None,
    as_of: AsOf = None,
    include_superseded: IncludeSuperseded = False,
    at: At = None,
) -> None:
    """Propose questions from the corpus, anchored by quotes, for a person to accept."""
    from ragcli.pipelines.evaluating.curate import draft_golden

    run = invocation(context)
    config = run.config()
    options = RetrievalOptions(groups=groups, as_of=as_of, include_superseded=include_superseded, at=at)
    stages = wiring.Stages(config, at=at)
    writer = wiring.load_text_model(config) if model else None
    with progress(run) as show:
        drafts, usage = draft_golden(
            stages.engine,
            options.scope(config),
            limit=number,
            unanswerable=unanswerable,
            complete=writer.complete if writer else None,
            model=writer.name if writer else "",
            progress=show,
        )
    _give(run, [item.row() for item in drafts], to)
    if writer is not None:
        run.output.notice(f"{usage.input_tokens} tokens in, {usage.output_tokens} out")
    run.output.notice("proposals: read each, correct it, and delete its made_by to accept it")


def lint(
    context: typer.Context,
    golden: File,
    ask: Annotated[bool, typer.Option("--ask", help="Try the unanswerable questions on the pipeline.")] = False,
    groups: Groups = None,
    at: At = None,
) -> None:
    """Find labels that are not in the corpus, duplicates, and cases that measure less than they seem; exit 1 then."""
    from ragcli.evaluate.golden_sets.file import load_golden
    from ragcli.pipelines.evaluating.curate import lint_golden

    run = invocation(context)
    config = run.config()
    cases = load_golden(golden)
    stages = wiring.Stages(config, at=at)
    steps = wiring.evaluation_steps(stages, answers=True) if ask else None
    scope = RetrievalOptions(groups=groups, at=at).scope(config)
    findings = lint_golden(cases, engine=stages.engine, steps=steps, scope=scope)
    content = {"schema": "rag.lint/1", "cases": len(cases.cases), "findings": [encode(item) for item in findings]}
    run.output.result(content, lambda: _findings(len(cases.cases), findings))
    if findings:
        raise typer.Exit(ExitCode.GATE)


def promote(
    context: typer.Context,
    trace_id: Annotated[str, typer.Argument(metavar="TRACE_ID", help="A logged question.")],
    expect: Annotated[
        list[str] | None, typer.Option(metavar="SOURCE", help="What it should have found: a source or chunk id.")
    ] = None,
    unanswerable: Annotated[bool, typer.Option("--unanswerable", help="It should have been declined.")] = False,
    to: To = None,
    groups: Groups = None,
    at: At = None,
) -> None:
    """Turn a logged question and its feedback into a golden case."""
    from ragcli.cli.commands.log import visible_trace
    from ragcli.pipelines.evaluating.curate import promote_trace

    run = invocation(context)
    trace = visible_trace(run, trace_id, groups)
    engine = wiring.Stages(run.config(), at=at).engine
    _give(run, [promote_trace(trace, engine=engine, expect=expect or (), unanswerable=unanswerable)], to)


def _give(run: Invocation, rows: list[dict[str, object]], to: Path | None) -> None:
    """Print the rows, or add the new ones to a file."""
    from ragcli.pipelines.evaluating.curate import append_rows

    if to is None:
        lines = "\n".join(json_safe(json.dumps(row, ensure_ascii=False)) for row in rows)
        run.output.result({"schema": "rag.golden/1", "rows": rows}, lines)
        return
    added = append_rows(to, rows)
    content = {"schema": "rag.golden/1", "file": str(to), "added": added, "known": len(rows) - added, "rows": rows}
    run.output.result(content, f"{added} added to {one_line(str(to))}, {len(rows) - added} already there")


def _findings(cases: int, findings: list[Finding]) -> str:
    lines = [one_line(f"{item.where} {item.kind}: {item.message}") for item in findings]
    return "\n".join([*lines, f"{cases} cases, {len(findings)} findings"])
