"""``rag ask``: the answer with printed citations."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ragcli.cli.commands.search import notices
from ragcli.cli.invocation import Invocation, epilog, invocation
from ragcli.cli.output import clean
from ragcli.cli.retrieval_options import AsOf, At, Filters, Groups, IncludeSuperseded, K, NoRerank, RetrievalOptions
from ragcli.cli.views import answers, costs
from ragcli.cli.views.places import heading, place, snippet
from ragcli.errors import ConfigError, ExitCode, ModelError

if TYPE_CHECKING:
    from ragcli import Index
    from ragcli.records import AskResult


_NEAREST = 3


def register(app: typer.Typer) -> None:
    """Add the command."""
    examples = (
        'rag ask "How many remote days per week can I take?"',
        "rag ask - --as hr --strict --json < question.txt",
        'rag ask "And for interns?" --session remote',
    )
    codes = (ExitCode.STRICT, ExitCode.NOT_FOUND, ExitCode.MODEL, ExitCode.INDEX)
    app.command("ask", epilog=epilog(*examples, codes=codes))(ask)


def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question; - reads standard input.")],
    k: K = None,
    filters: Filters = None,
    groups: Groups = None,
    as_of: AsOf = None,
    include_superseded: IncludeSuperseded = False,
    no_rerank: NoRerank = False,
    at: At = None,
    provider: Annotated[
        str | None, typer.Option(help="extractive, anthropic or openai [default: answer.provider].")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 3 when a sentence has no support.")] = False,
    session: Annotated[str | None, typer.Option(metavar="NAME", help="Go on with a conversation.")] = None,
    direct: Annotated[bool, typer.Option("--direct", help="Send the whole corpus instead of passages.")] = False,
    agentic: Annotated[
        bool, typer.Option("--agentic", help="Search in several steps; a model may query tables.")
    ] = False,
    show_prompt: Annotated[bool, typer.Option("--show-prompt", help="Print what is sent, then ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be sent; send nothing.")] = False,
) -> None:
    """Answer a question from the documents, every citation checked."""
    if direct and agentic:
        raise ConfigError("--direct and --agentic exclude each other")
    options = RetrievalOptions(k, filters, groups, as_of, include_superseded, no_rerank, at)
    run = invocation(context)
    index = run.index_with(options.overrides() | {"answer.provider": provider}, at=at)
    asked, scope = read_question(question), options.scope()
    if dry_run or show_prompt:
        from ragcli.cli.views import prompts

        plan = index.plan_prompt(asked, direct=direct, **scope)
        if dry_run:
            run.output.result(plan.to_json(), lambda: prompts.text(plan))
            return
        run.output.notice(prompts.text(plan))
    streams = run.output.streams and index.config.answer.by_model
    shown = answers.Streamed(run.output) if streams else None
    try:
        result = index.ask(asked, session=session, direct=direct, agentic=agentic, on_sentence=shown, **scope)
    except ModelError:
        if shown is not None and shown.printed:
            run.output.result({}, "\n\n" + shown.sources(index))
        raise
    _print(run, index, result, shown)
    if not direct:
        run.output.notice(index.reader.direct_advice(index.scope(**scope)))
    if not result.answer.found:
        raise typer.Exit(ExitCode.NOT_FOUND)
    if strict and answers.unsupported(result.answer):
        run.output.warning("--strict: not every sentence is supported by its citation")
        raise typer.Exit(ExitCode.STRICT)


def read_question(text: str) -> str:
    """The question itself, from standard input for ``-``. Raises ConfigError for an empty one."""
    if text == "-":
        if sys.stdin is None:
            raise ConfigError("standard input is closed", hint="pipe the question in, or write it instead of -")
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not text.strip():
        raise ConfigError("the question is empty", hint='rag ask "…", or rag ask - with the question on standard input')
    return clean(text).strip()


def _print(run: Invocation, index: Index, result: AskResult, shown: answers.Streamed | None) -> None:
    answer = result.answer
    if shown is not None and shown.printed:
        run.output.result({}, "\n\n" + answers.after_stream(result, run.output, index))
    else:
        run.output.result(result.to_json(), lambda: answers.text(result, run.output, index))
    for notice in answer.notices:
        run.output.notice(notice)
    if answer.standalone_question != answer.question:
        run.output.notice(f"asked as: {answer.standalone_question}")
    notices(run, index, result.retrieval)
    if not answer.found:
        _nearest(run, result)
    for notice in index.reader.notices:
        run.output.warning(notice)
    times = ", ".join(f"{name} {value:.0f} ms" for name, value in result.timings_ms.items())
    run.output.detail(f"{answer.provider} {answer.model}; {len(answer.passages)} passages; {times}")
    if spent := costs.text(answer.model, answer.usage):
        run.output.detail(spent)


def _nearest(run: Invocation, result: AskResult) -> None:
    """Why nothing was answered, and what came nearest, on standard error."""
    hits = result.retrieval.hits[:_NEAREST]
    run.output.notice(f"not found ({result.answer.not_found_reason})" + ("; the nearest passages:" if hits else ""))
    for hit in hits:
        where = place(hit.source, hit.chunk.first_page, hit.lines)
        run.output.notice(f"  {where}  {heading(hit.chunk.title, hit.chunk.heading_path)}")
        run.output.notice(f"    {snippet(hit.chunk.text, hit.chunk.heading_path, 200)}")
