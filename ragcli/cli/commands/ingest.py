"""``rag ingest``: files and folders become documents, chunks and a published version."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragcli.cli.failures import interruptible
from ragcli.cli.invocation import epilog, invocation
from ragcli.cli.output import to_json
from ragcli.cli.progress import progress
from ragcli.cli.retrieval_options import Wait, key_values
from ragcli.cli.targets import check_target
from ragcli.cli.views import coverage
from ragcli.errors import ConfigError, ExitCode


def register(app: typer.Typer) -> None:
    """Add the command."""
    examples = ("rag ingest docs/ handbook.pdf", "rag ingest hr/ --acl hr --meta type=policy --report coverage.json")
    codes = (ExitCode.STRICT, ExitCode.MODEL, ExitCode.INDEX, ExitCode.LOCKED)
    app.command("ingest", epilog=epilog(*examples, codes=codes))(ingest)


def ingest(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files and folders.")],
    no_index: Annotated[bool, typer.Option("--no-index", help="Stop after parsing.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan and touch nothing.")] = False,
    acl: Annotated[list[str] | None, typer.Option(metavar="GROUP", help="Who may see it; repeatable.")] = None,
    no_acl: Annotated[
        bool, typer.Option("--no-acl", help="Take away the groups that an earlier ingest gave by --acl.")
    ] = False,
    meta: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="Metadata; repeatable.")] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 3, publishing nothing, when a file or page was lost.")
    ] = False,
    max_delete: Annotated[
        float | None, typer.Option(metavar="PCT", min=0, max=100, help="Share of a root's documents that may go.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Parse unchanged files again.")] = False,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the record of every file as JSON.")] = None,
    wait: Wait = 0,
) -> None:
    """Parse files and folders, then chunk, index and publish a version."""
    run = invocation(context)
    index = run.index_with({"ingest.max_delete": max_delete})
    if report is not None:
        check_target("--report", report)
    given, groups = key_values(meta, "--meta"), _groups(acl, no_acl)
    if dry_run:
        plan = index.plan_ingest(paths, meta=given, acl=groups, force=force)
        run.output.result(plan.to_json(), lambda: coverage.plan_text(plan))
        return
    with interruptible(index), progress(run) as show:
        found = index.ingest(
            paths,
            meta=given,
            acl=groups,
            force=force,
            strict=strict,
            publish=not no_index,
            wait_seconds=wait,
            progress=show,
        )
    if report is not None:
        report.write_text(to_json(found.to_json()) + "\n", encoding="utf-8", errors="backslashreplace")
    run.output.result(found.to_json(), lambda: coverage.text(run.output, found))
    for notice in found.notices:
        run.output.notice(notice)
    if strict and found.parsed.lost:
        run.output.warning(f"--strict: {len(found.parsed.lost)} files were not read whole; nothing was published")
        raise typer.Exit(ExitCode.STRICT)


def _groups(acl: list[str] | None, no_acl: bool) -> list[str] | None:
    """The groups given, none of them for ``--no-acl``, None when nothing is said. Raises ConfigError for both."""
    if acl and no_acl:
        raise ConfigError("--acl and --no-acl say opposite things", hint="give one of them", category="usage")
    return [] if no_acl else acl or None
