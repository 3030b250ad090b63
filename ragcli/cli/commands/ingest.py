"""``rag ingest``: files and folders become documents, chunks and a published version."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcli import wiring
from ragcli.cli.invocation import Invocation, epilog, invocation
from ragcli.cli.output import to_json
from ragcli.cli.progress import progress
from ragcli.cli.retrieval_options import Wait, key_values
from ragcli.cli.targets import check_target
from ragcli.cli.views import coverage
from ragcli.codec import encode
from ragcli.errors import ExitCode

if TYPE_CHECKING:
    from ragcli.config import Config
    from ragcli.pipelines.ingesting.ingest_result import IngestResult
    from ragcli.wiring import Built


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
    config = run.config({"ingest.max_delete": max_delete})
    if report is not None:
        check_target("--report", report)
    given = _Given(paths, key_values(meta, "--meta"), tuple(acl or ()), force)
    if dry_run:
        _plan(run, config, given)
        return
    with wiring.index_folder(config).writer(wait) as writer, progress(run) as show:
        parsed = given.parse(config, writer, show)
        lost = strict and bool(parsed.lost)
        built = None if no_index or lost else wiring.build(config, writer, progress=show)
    content = _content(parsed, built)
    if report is not None:
        report.write_text(to_json(content) + "\n", encoding="utf-8", errors="backslashreplace")
    run.output.result(content, lambda: coverage.text(run.output, parsed, built))
    for notice in (*parsed.notices, *(built.notices if built else ())):
        run.output.notice(notice)
    if lost:
        run.output.warning(f"--strict: {len(parsed.lost)} files were not read whole; nothing was published")
        raise typer.Exit(ExitCode.STRICT)


class _Given:
    """What to ingest and how, as given on the command line."""

    def __init__(self, paths: list[Path], meta: dict[str, str], acl: tuple[str, ...], force: bool) -> None:
        self._paths, self._meta, self._acl, self._force = paths, meta, acl, force

    def parse(self, config: Config, writer: Any, show: Any, dry_run: bool = False) -> IngestResult:
        """Bring the staged documents in line with the files."""
        from ragcli.pipelines.ingesting.ingest import ingest as run_ingest

        return run_ingest(
            self._paths,
            config=config,
            writer=writer,
            meta=self._meta,
            acl=self._acl,
            force=self._force,
            dry_run=dry_run,
            progress=show,
        )


def _plan(run: Invocation, config: Config, given: _Given) -> None:
    """Print what an ingest would do and take. A missing index folder is planned for in a temporary one."""
    folder = wiring.index_folder(config)
    with tempfile.TemporaryDirectory() as temporary:
        if not folder.path.exists():
            folder = type(folder)(Path(temporary) / "index")
        with folder.writer() as writer:
            found = given.parse(config, writer, None, dry_run=True)
    plan = wiring.plan_ingest(config, found.planned)
    content = _content(found, None) | {"dry_run": True, "plan": encode(plan)}
    run.output.result(content, lambda: coverage.plan_text(found, plan))


def _content(parsed: IngestResult, built: Built | None) -> dict[str, Any]:
    return {
        "schema": "rag.ingest/1",
        "files": [encode(report) for report in parsed.files],
        "notices": [*parsed.notices, *(built.notices if built else ())],
        "added": parsed.added,
        "changed": parsed.changed,
        "removed": parsed.removed,
        "unchanged": parsed.unchanged,
        "chunks": built.chunks if built else 0,
        "truncated_chunks": built.truncated_chunks if built else 0,
        "index_version": built.index_version if built else None,
        "recall_at_10": built.recall_at_10 if built else None,
        "seconds": {"parse": parsed.seconds, **(built.seconds if built else {})},
    }
