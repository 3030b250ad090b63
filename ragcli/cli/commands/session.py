"""``rag session``: the conversations kept for ``rag ask --session NAME``.

A turn is shown, gone on with and dropped only by someone who is in every group it was asked with and may see, by
today's access, what was sent for it.
"""

from __future__ import annotations

from typing import Annotated

import typer

from ragcli.cli.invocation import epilog, invocation
from ragcli.cli.retrieval_options import Groups
from ragcli.codec import encode
from ragcli.display import continued, printable
from ragcli.errors import ExitCode, NotFound

Name = Annotated[str, typer.Argument(metavar="NAME", help="The session.")]
_CODES = (ExitCode.NOT_FOUND,)


def register(app: typer.Typer) -> None:
    """Add the command group; without a subcommand it lists."""
    group = typer.Typer(rich_markup_mode=None, help="Conversations kept for rag ask --session NAME.")
    group.callback(invoke_without_command=True)(session)
    group.command("list", epilog=epilog("rag session list", "rag session list --as hr --json"))(list_sessions)
    group.command("show", epilog=epilog("rag session show move", "rag session show move --json", codes=_CODES))(show)
    group.command("drop", epilog=epilog("rag session drop move", "rag session drop move --json", codes=_CODES))(drop)
    app.add_typer(group, name="session", epilog=epilog("rag session list", "rag session show move", codes=_CODES))


def session(context: typer.Context) -> None:
    """List, show and drop conversations."""
    if context.invoked_subcommand is None:
        list_sessions(context)


def list_sessions(context: typer.Context, groups: Groups = None) -> None:
    """List the conversations that hold a turn you may see."""
    run = invocation(context)
    found = run.index_with().sessions.list(groups)
    rows = [(info.name, info.turns, info.last) for info in found]
    content = {"schema": "rag.sessions/1", "sessions": [encode(info) for info in found]}
    table = run.output.table(("session", "turns>", "last"), rows)
    run.output.result(content, table if rows else "no sessions")


def show(context: typer.Context, name: Name, groups: Groups = None) -> None:
    """Show the turns of a conversation."""
    run = invocation(context)
    turns = run.index_with().sessions.turns(name, groups)
    if not turns:
        raise NotFound(f"no session {name!r}", hint="rag session list")
    content = {"schema": "rag.session/1", "name": name, "turns": [encode(turn) for turn in turns]}
    said = [(f"> {printable(turn.question)}", printable(turn.answer) or "(not found)") for turn in turns]
    text = "\n\n".join(f"{continued(question)}\n{continued(answer)}" for question, answer in said)
    run.output.result(content, text)


def drop(context: typer.Context, name: Name, groups: Groups = None) -> None:
    """Remove what you may see of a conversation."""
    run = invocation(context)
    run.index_with().sessions.drop(name, groups)
    run.output.result({"schema": "rag.session-drop/1", "name": name}, f"{name} dropped")
