"""``rag explain``: one question followed through every stage, to the one that lost the passage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ragcli import wiring
from ragcli.cli.invocation import epilog, invocation
from ragcli.cli.output import Output, clean, one_line
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
from ragcli.codec import encode
from ragcli.errors import ExitCode

if TYPE_CHECKING:
    from ragcli.evaluate.trail import Step, Trail


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
    from ragcli.pipelines.evaluating.explain import explain as run_explain

    options = RetrievalOptions(k, filters, groups, as_of, include_superseded, no_rerank, at, mode)
    run = invocation(context)
    config = run.config(options.overrides())
    stages = wiring.Stages(config, at=at)
    steps = wiring.evaluation_steps(stages, answers=not retrieval_only)
    scope, wanted = options.scope(config), [clean(text) for text in expect]
    trails = run_explain(clean(question), wanted, engine=stages.engine, steps=steps, scope=scope)
    content = {"schema": "rag.explain/1", "question": question, "index_version": stages.engine.version}
    content["trails"] = [encode(trail) for trail in trails]  # type: ignore[assignment]
    run.output.result(content, lambda: "\n\n".join(_text(trail, run.output) for trail in trails))


def _text(trail: Trail, output: Output) -> str:
    lines = [output.style(one_line(trail.expected), "1"), *(_step(step) for step in trail.steps)]
    if trail.loss is None:
        return "\n".join([*lines, "not lost"])
    lines.append(output.style(f"lost at {trail.loss.stage}: {one_line(trail.loss.detail)}", "31"))
    return "\n".join([*lines, f"acts on it: {trail.loss.setting}"] if trail.loss.setting else lines)


def _step(step: Step) -> str:
    mark = {True: "ok", False: "no", None: "-"}[step.passed]
    return f"  {mark:<3}{step.stage:<10} {one_line(step.detail)}"
