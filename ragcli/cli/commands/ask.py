"""``rag ask``: the answer with printed citations."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ragcli import wiring
from ragcli.cli.commands.search import notices
from ragcli.cli.invocation import Invocation, epilog, invocation
from ragcli.cli.output import clean
from ragcli.cli.retrieval_options import AsOf, At, Filters, Groups, IncludeSuperseded, K, NoRerank, RetrievalOptions
from ragcli.cli.views import answers
from ragcli.cli.views.places import heading, place, snippet
from ragcli.config import Config
from ragcli.errors import ConfigError, ExitCode

if TYPE_CHECKING:
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
    provider: Annotated[str | None, typer.Option(help="extractive or anthropic [default: answer.provider].")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 3 when a sentence has no support.")] = False,
    session: Annotated[str | None, typer.Option(metavar="NAME", help="Go on with a conversation.")] = None,
    direct: Annotated[bool, typer.Option("--direct", help="Send the whole corpus instead of passages.")] = False,
    agentic: Annotated[bool, typer.Option("--agentic", help="Search in several steps.")] = False,
    show_prompt: Annotated[bool, typer.Option("--show-prompt", help="Print what is sent, then ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be sent; send nothing.")] = False,
) -> None:
    """Answer a question from the documents, every citation checked."""
    if direct and agentic:
        raise ConfigError("--direct and --agentic exclude each other")
    options = RetrievalOptions(k, filters, groups, as_of, include_superseded, no_rerank, at)
    run = invocation(context)
    config = run.config(options.overrides() | {"answer.provider": provider})
    stages = wiring.Stages(config, at=at)
    asked, scope = read_question(question), options.scope(config)
    if dry_run or show_prompt:
        from ragcli.cli.views import prompts

        plan = prompts.plan(stages, asked, scope, direct=direct)
        if dry_run:
            run.output.result(plan, lambda: prompts.text(plan))
            return
        run.output.notice(prompts.text(plan))
    stages.begin(asked)
    talk = Conversation(config, session, scope.groups)
    shown = answers.Streamed(run.output) if run.output.streams and config.answer.provider == "anthropic" else None
    result = stages.ask(
        asked,
        scope,
        keep=True,
        earlier=talk.earlier,
        session=session,
        direct=direct,
        agentic=agentic,
        on_sentence=shown,
    )
    talk.add(result)
    _print(run, stages, result, shown)
    if not direct:
        run.output.notice(stages.direct_advice(scope))
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


def _print(run: Invocation, stages: wiring.Stages, result: AskResult, shown: answers.Streamed | None) -> None:
    answer = result.answer
    if shown is not None and shown.printed:
        run.output.result({}, "\n\n" + answers.after_stream(result, run.output, stages))
    else:
        run.output.result(answers.content(result), lambda: answers.text(result, run.output, stages))
    for notice in answer.notices:
        run.output.notice(notice)
    if answer.standalone_question != answer.question:
        run.output.notice(f"asked as: {answer.standalone_question}")
    notices(run, stages, result.retrieval)
    if not answer.found:
        _nearest(run, result)
    for notice in stages.notices:
        run.output.warning(notice)
    times = ", ".join(f"{name} {value:.0f} ms" for name, value in result.timings_ms.items())
    run.output.detail(f"{answer.provider} {answer.model}; {len(answer.passages)} passages; {times}")


def _nearest(run: Invocation, result: AskResult) -> None:
    """Why nothing was answered, and what came nearest, on standard error."""
    hits = result.retrieval.hits[:_NEAREST]
    run.output.notice(f"not found ({result.answer.not_found_reason})" + ("; the nearest passages:" if hits else ""))
    for hit in hits:
        first = hit.chunk.first_line
        lines = None if first is None else (first, hit.chunk.last_line or first)
        where = place(hit.source, hit.chunk.first_page, lines)
        run.output.notice(f"  {where}  {heading(hit.chunk.title, hit.chunk.heading_path)}")
        run.output.notice(f"    {snippet(hit.chunk.text, hit.chunk.heading_path, 200)}")


# A conversation: the questions before this one, and this one kept for the next.


class Conversation:
    """The session ``name``, as someone with these groups may see it; without a name nothing is read or kept."""

    def __init__(self, config: Config, name: str | None, groups: Sequence[str]) -> None:
        self._name = name
        self._groups = tuple(groups)
        self._sessions = wiring.sessions(config) if name is not None else None

    @property
    def earlier(self) -> list[str]:
        """The questions so far, each able to stand alone, oldest first."""
        if self._sessions is None or self._name is None:
            return []
        return [turn.standalone_question for turn in self._sessions.turns(self._name, self._groups)]

    def add(self, result: AskResult) -> None:
        """Keep a question and its answer."""
        if self._sessions is None or self._name is None:
            return
        from ragcli.sessions import Turn

        answer = result.answer
        turn = Turn(
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            question=answer.question,
            standalone_question=answer.standalone_question,
            answer=answer.text,
            found=answer.found,
            trace_id=result.trace_id,
            doc_ids=tuple(dict.fromkeys(chunk_id.rpartition("#")[0] for chunk_id in answer.passages)),
            groups=self._groups,
        )
        self._sessions.append(self._name, turn)
