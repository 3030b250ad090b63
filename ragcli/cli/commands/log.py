"""``rag log``, ``rag stats`` and ``rag feedback``: past questions, their health, the users' verdicts.

A trace is shown only to someone who is in every group its question was asked with and may see, by today's access, every
document in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ragcli.cli.invocation import epilog, invocation
from ragcli.cli.output import Output, shortened
from ragcli.cli.retrieval_options import Groups
from ragcli.codec import encode
from ragcli.display import one_line, printable
from ragcli.errors import ExitCode

if TYPE_CHECKING:
    from ragcli.records import Trace

TraceId = Annotated[str, typer.Argument(metavar="TRACE_ID", help="An id that rag log shows, or its beginning.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    codes = (ExitCode.NOT_FOUND,)
    app.command("log", epilog=epilog("rag log -n 50", "rag log 20260301T101500-1a2b3c4d --json", codes=codes))(log)
    app.command("stats", epilog=epilog("rag stats", "rag stats --as hr --json"))(stats)
    examples = ("rag feedback 20260301T101500-1a2b3c4d good", "rag feedback 20260301T1015 bad --json")
    app.command("feedback", epilog=epilog(*examples, codes=codes))(feedback)


def log(
    context: typer.Context,
    trace_id: Annotated[str | None, typer.Argument(metavar="TRACE_ID", help="Show one question in full.")] = None,
    number: Annotated[int, typer.Option("-n", min=1, metavar="N", help="How many of the latest.")] = 20,
    groups: Groups = None,
) -> None:
    """List past questions, or show one in full."""
    run = invocation(context)
    if trace_id is not None:
        trace = run.index_with().traces.get(trace_id, groups)
        run.output.result({"schema": "rag.trace/1", **encode(trace)}, lambda: _full(trace))
        return
    shown = run.index_with().traces.list(groups)[-number:]
    content = {"schema": "rag.log/1", "traces": [encode(trace) for trace in shown]}
    run.output.result(content, lambda: _table(run.output, shown))


def stats(context: typer.Context, groups: Groups = None) -> None:
    """Show how past questions went: found, declined, support, feedback, time."""
    run = invocation(context)
    content = run.index_with().traces.stats(groups)
    run.output.result(content, lambda: _stats_text(content))


def feedback(
    context: typer.Context,
    trace_id: TraceId,
    verdict: Annotated[Literal["good", "bad"], typer.Argument(metavar="good|bad", help="Was the answer right?")],
    groups: Groups = None,
) -> None:
    """Say whether an answer was good; rag golden promote turns it into a case."""
    run = invocation(context)
    trace = run.index_with().traces.feedback(trace_id, verdict, groups)
    content = {"schema": "rag.feedback/1", "trace_id": trace.trace_id, "feedback": verdict}
    run.output.result(content, f"{trace.trace_id}: {verdict}")


def _table(output: Output, traces: Sequence[Trace]) -> str:
    rows = [
        (
            trace.trace_id,
            trace.failure or ("found" if trace.found else trace.not_found_reason),
            trace.feedback,
            shortened(trace.question, 80),
        )
        for trace in traces
    ]
    return output.table(("trace", "outcome", "feedback", "question"), rows) if rows else "no questions yet"


def _full(trace: Trace) -> str:
    lines = [f"{name}: {_plain(value)}" for name, value in encode(trace).items() if value not in (None, "", [], {})]
    return "\n".join(printable(line) for line in lines)


def _plain(value: Any) -> str:
    import json

    return one_line(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _stats_text(content: dict[str, Any]) -> str:
    lines = []
    for name, value in content.items():
        if name != "schema" and value not in (None, {}):
            shown = ", ".join(f"{key} {count}" for key, count in value.items()) if isinstance(value, dict) else value
            lines.append(f"{name.replace('_', ' '):<14} {shown}")
    return printable("\n".join(lines))
