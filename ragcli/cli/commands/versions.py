"""``rag versions``: list, roll back, compare, check and drop the versions of the index."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcli.cli.invocation import Invocation, epilog, invocation
from ragcli.cli.retrieval_options import Groups, RetrievalOptions, Wait
from ragcli.codec import encode
from ragcli.errors import ExitCode

if TYPE_CHECKING:
    from ragcli.records import VersionInfo

_CODES = (ExitCode.INDEX,)
Version = Annotated[str, typer.Argument(metavar="VERSION", help="A version such as v000003.")]


def register(app: typer.Typer) -> None:
    """Add the command group; without a subcommand it lists."""
    group = typer.Typer(rich_markup_mode=None, help="The versions of the index.")
    group.callback(invoke_without_command=True)(versions)
    group.command("list", epilog=epilog("rag versions", "rag versions list --json", codes=_CODES))(list_versions)
    group.command("use", epilog=epilog("rag versions use v000003", "rag versions use v000003 --wait 60", codes=_CODES))(
        use
    )
    examples = ("rag versions diff v000003 v000004", "rag versions diff v000003 v000004 --json")
    group.command("diff", epilog=epilog(*examples, codes=_CODES))(diff)
    verify_codes = (ExitCode.GATE, ExitCode.INDEX)
    group.command("verify", epilog=epilog("rag versions verify", "rag versions verify v000003", codes=verify_codes))(
        verify
    )
    prune_codes = (ExitCode.INDEX, ExitCode.LOCKED)
    group.command(
        "prune", epilog=epilog("rag versions prune --keep 3", "rag versions prune --keep 1 --json", codes=prune_codes)
    )(prune)
    app.add_typer(group, name="versions", epilog=epilog("rag versions", "rag versions use v000003", codes=_CODES))


def versions(context: typer.Context) -> None:
    """List the versions, roll back, compare, check hashes, drop old ones."""
    if context.invoked_subcommand is None:
        list_versions(context)


def list_versions(context: typer.Context) -> None:
    """List the versions, newest last."""
    run = invocation(context)
    found = run.index_with().versions.list()
    run.output.result([encode(info) for info in found], lambda: _table(run, found))


def _table(run: Invocation, found: list[VersionInfo]) -> str:
    columns = ("", "version", "created", "documents>", "chunks>", "MB>", "recall@10>", "embedding model", "")
    return run.output.table(columns, [_row(info) for info in found])


def _row(info: VersionInfo) -> tuple[Any, ...]:
    recall = "" if info.recall_at_10 is None else f"{info.recall_at_10:.3f}"
    return (
        "*" if info.current else "",
        info.version,
        info.created,
        info.documents,
        info.chunks,
        f"{info.bytes / 1e6:.1f}",
        recall,
        info.embedding_model,
        f"damaged: {info.damaged}" if info.damaged else "",
    )


def use(context: typer.Context, version: Version, wait: Wait = 0) -> None:
    """Make a kept version the current one."""
    run = invocation(context)
    run.index_with().versions.use(version, wait_seconds=wait)
    run.output.result({"schema": "rag.use/1", "index_version": version}, f"{version} is the current version")


def diff(
    context: typer.Context,
    before: Annotated[str, typer.Argument(metavar="A", help="The older version.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The newer version.")],
    golden: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Show the questions of a golden set whose ranks moved.")
    ] = None,
    groups: Groups = None,
) -> None:
    """Show documents added, changed and removed, chunks gained and lost, as far as the groups may see them."""
    run = invocation(context)
    index = run.index_with()
    scope = index.scope(**RetrievalOptions(groups=groups).scope())
    content = index.versions.diff(before, after, scope=scope, golden=golden).to_json()
    run.output.result(content, lambda: _diff_text(content))


def _diff_text(content: dict[str, Any]) -> str:
    from ragcli.display import one_line

    marks = (("added", "+"), ("changed", "~"), ("removed", "-"))
    lines = [f"{mark} {one_line(name)}" for key, mark in marks for name in content[key]]
    counts = ", ".join(f"{len(content[key])} {key}" for key, _ in marks)
    chunks = f"chunks: {content['chunks_gained']} gained, {content['chunks_lost']} lost"
    for moved in content.get("moved", ()):
        ranks = f"{moved['before'] or 'not found'} → {moved['after'] or 'not found'}"
        lines.append(one_line(f"rank {ranks}: {moved['expected']}: {moved['question']}"))
    return "\n".join([*lines, f"documents: {counts}", chunks])


def verify(
    context: typer.Context,
    version: Annotated[str | None, typer.Argument(metavar="VERSION", help="[default: the current one]")] = None,
) -> None:
    """Check every hash, and that BM25, vectors, graph and chunks agree."""
    run = invocation(context)
    found = run.index_with().versions.verify(version)
    sound = f"{found.index_version} is sound"
    run.output.result(found.to_json(), lambda: "\n".join(found.faults) if found.faults else sound)
    if found.faults:
        raise typer.Exit(ExitCode.GATE)


def prune(
    context: typer.Context,
    keep: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Versions kept [default: index.keep_versions].")
    ] = None,
    wait: Wait = 0,
) -> None:
    """Drop old versions; the current one always stays."""
    run = invocation(context)
    dropped = run.index_with({"index.keep_versions": keep}).versions.prune(wait_seconds=wait)
    content = {"schema": "rag.prune/1", "dropped": list(dropped)}
    run.output.result(content, lambda: f"dropped: {', '.join(dropped) or 'nothing'}")
