"""``rag chunk``: cut the ingested documents again under the present settings, without parsing them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcli.cli.failures import interruptible
from ragcli.cli.invocation import epilog, invocation
from ragcli.cli.progress import progress
from ragcli.cli.retrieval_options import Wait
from ragcli.codec import encode
from ragcli.display import one_line
from ragcli.errors import ExitCode
from ragcli.prices import as_of

if TYPE_CHECKING:
    from ragcli.chunk.lint import LintReport
    from ragcli.chunk.plan import ContextPlan
    from ragcli.pipelines.building.chunk import ChunkResult

_NAMES = 5


def register(app: typer.Typer) -> None:
    """Add the command."""
    codes = (ExitCode.MODEL, ExitCode.INDEX, ExitCode.LOCKED)
    app.command("chunk", epilog=epilog("rag chunk", "RAG_CHUNK__MAX_TOKENS=120 rag chunk --json", codes=codes))(chunk)


def chunk(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="State calls, tokens and cost; cut nothing.")] = False,
    wait: Wait = 0,
) -> None:
    """Cut the ingested documents again; rag index publishes the result."""
    run = invocation(context)
    index = run.index_with()
    if dry_run:
        plan = index.plan_chunking(wait_seconds=wait)
        run.output.result(_plan(plan), lambda: _plan_text(plan))
        return
    with interruptible(index), progress(run) as show:
        found = index.chunk(wait_seconds=wait, progress=show)
    run.output.result({"schema": "rag.chunk/1", **encode(found)}, lambda: _text(found))
    run.output.notice("rag index publishes them")


def _text(found: ChunkResult) -> str:
    numbers = found.statistics
    lines = [
        f"{found.documents} documents, {found.rechunked} of them cut now",
        f"{found.chunks} chunks, {found.truncated} truncated, {numbers.tokens} tokens",
        f"tokens of a chunk: {numbers.smallest} at least, {numbers.median} in the middle, {numbers.largest} at most",
        *_histogram(numbers.histogram),
        *_named("under 20 tokens", numbers.small),
        *_named("without title or heading", numbers.orphans),
        *_named("documents without text", found.empty),
        *_doubts(found.lint),
    ]
    return "\n".join(lines)


def _histogram(bins: tuple[tuple[int, int], ...]) -> list[str]:
    most = max((count for _, count in bins), default=1)
    return [f"  from {low:>4}: {count:>7} {'#' * max(1, round(40 * count / most))}" for low, count in bins]


def _named(what: str, names: tuple[str, ...]) -> list[str]:
    if not names:
        return [f"{what}: none"]
    more = f", … and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return [f"{what}: {len(names)}: {one_line(', '.join(names[:_NAMES]))}{more}"]


def _doubts(found: LintReport) -> list[str]:
    """Chunks that would not make sense alone, a rule at a time with examples."""
    from ragcli.chunk.lint import RULES

    lines: list[str] = []
    for rule, count in found.counts:
        if rule in ("tiny", "orphan"):  # named above
            continue
        lines.append(f"{rule}: {count} ({RULES[rule]})")
        examples = [each for each in found.examples if each.rule == rule][:_NAMES]
        lines += [f"    {each.chunk_id}  {one_line(each.excerpt)}" for each in examples]
    return lines or ["no chunk that would not make sense alone"]


def _plan(plan: ContextPlan | None) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": "rag.chunk-plan/1", "calls": 0, "dollars": 0.0}
    return content | (encode(plan) | {"dollars": plan.dollars} if plan is not None else {})


def _plan_text(plan: ContextPlan | None) -> str:
    if plan is None:
        return "no model is asked (chunk.context is off)"
    price = "no list price known" if plan.dollars is None else f"about ${plan.dollars:.2f}"
    tokens = plan.usage.input_tokens + plan.usage.cache_read_tokens + plan.usage.cache_write_tokens
    calls = f"{plan.calls} calls to {plan.model}, {plan.cached_replies} replies kept from before"
    cached = f"{plan.usage.cache_read_tokens} of them cached"
    price += (
        f" by the list prices of {as_of(plan.model)}, half of it with chunk.context_batch"
        if plan.dollars is not None
        else ""
    )
    return f"{calls}; about {tokens} tokens in ({cached}), at most {plan.usage.output_tokens} out; {price}"
