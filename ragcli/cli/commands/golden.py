"""``rag golden``: propose, check and extend a golden set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragcli.cli.invocation import Invocation, epilog, invocation
from ragcli.cli.progress import progress
from ragcli.cli.retrieval_options import AsOf, At, Groups, IncludeSuperseded, RetrievalOptions
from ragcli.display import json_safe, one_line
from ragcli.errors import ExitCode

if TYPE_CHECKING:
    from ragcli import Index
    from ragcli.application.results import Linted

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
    run = invocation(context)
    index = run.index_with(at=at)
    options = RetrievalOptions(groups=groups, as_of=as_of, include_superseded=include_superseded, at=at)
    scope = index.scope(**options.scope())
    with progress(run) as show:
        drafts, usage = index.golden.draft(
            scope=scope, limit=number, unanswerable=unanswerable, with_model=model, progress=show
        )
    _give(run, index, [item.row() for item in drafts], to)
    if model:
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
    run = invocation(context)
    index = run.index_with(at=at)
    scope = index.scope(**RetrievalOptions(groups=groups, at=at).scope())
    found = index.golden.lint(golden, scope=scope, ask=ask)
    run.output.result(found.to_json(), lambda: _findings(found))
    if found.findings:
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
    run = invocation(context)
    index = run.index_with(at=at)
    trace = index.traces.get(trace_id, groups)
    _give(run, index, [index.golden.promote(trace, expect=expect or (), unanswerable=unanswerable)], to)


def _give(run: Invocation, index: Index, rows: list[dict[str, object]], to: Path | None) -> None:
    """Print the rows, or add the new ones to a file."""
    if to is None:
        lines = "\n".join(json_safe(json.dumps(row, ensure_ascii=False)) for row in rows)
        run.output.result({"schema": "rag.golden/1", "rows": rows}, lines)
        return
    added = index.golden.append(to, rows)
    content = {"schema": "rag.golden/1", "file": str(to), "added": added, "known": len(rows) - added, "rows": rows}
    run.output.result(content, f"{added} added to {one_line(str(to))}, {len(rows) - added} already there")


def _findings(found: Linted) -> str:
    lines = [one_line(f"{item.where} {item.kind}: {item.message}") for item in found.findings]
    return "\n".join([*lines, f"{found.cases} cases, {len(found.findings)} findings"])
