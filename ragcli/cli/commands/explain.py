"""``rag explain``: one question followed through every stage, to the one that lost the passage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ragcli.cli.invocation import epilog, invocation
from ragcli.cli.output import Output, clean
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
from ragcli.display import one_line
from ragcli.errors import ExitCode

if TYPE_CHECKING:
    from ragcli.evaluate.trail import Trail, TrailStep


def register(app: typer.Typer) -> None:
    """Add the command."""
    examples = (
        'rag explain "Who signs a contract?" --expect "signed by two directors"',
        'rag explain "Remote days?" --expect hr/remote-policy.md#2 -k 3 --json',
    )
    codes = (ExitCode.NOT_FOUND, ExitCode.MODEL, ExitCode.INDEX)
    app.command("explain", epilog=epilog(*examples, codes=codes))(explain)


def explain(
    context: typer.Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question.")],
    expect: Annotated[
        list[str],
        typer.Option(metavar="ID_OR_QUOTE", help="A chunk id, a source, or words in it; repeatable."),
    ],
    retrieval_only: Annotated[bool, typer.Option("--retrieval-only", help="Follow the search alone.")] = False,
    mode: Mode = None,
    k: K = None,
    filters: Filters = None,
    groups: Groups = None,
    as_of: AsOf = None,
    include_superseded: IncludeSuperseded = False,
    no_rerank: NoRerank = False,
    at: At = None,
) -> None:
    """Follow one question through every stage and name the stage that lost the passage."""
    options = RetrievalOptions(k, filters, groups, as_of, include_superseded, no_rerank, at, mode)
    run = invocation(context)
    index = run.index_with(options.overrides(), at=at)
    wanted = [clean(text) for text in expect]
    found = index.explain(clean(question), wanted, answers=not retrieval_only, **options.scope())
    run.output.result(found.to_json(), lambda: "\n\n".join(_text(trail, run.output) for trail in found.trails))


def _text(trail: Trail, output: Output) -> str:
    lines = [output.style(one_line(trail.expected), "1"), *(_step(step) for step in trail.steps)]
    if trail.loss is None:
        return "\n".join([*lines, "not lost"])
    lines.append(output.style(f"lost at {trail.loss.stage}: {one_line(trail.loss.detail)}", "31"))
    return "\n".join([*lines, f"acts on it: {trail.loss.setting}"] if trail.loss.setting else lines)


def _step(step: TrailStep) -> str:
    mark = {True: "ok", False: "no", None: "-"}[step.passed]
    return f"  {mark:<3}{step.stage:<10} {one_line(step.detail)}"
