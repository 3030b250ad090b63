"""``rag search``: retrieval alone, with each leg's rank and score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcli import wiring
from ragcli.cli.invocation import Invocation, epilog, invocation
from ragcli.cli.output import Output, clean, shortened
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
from ragcli.cli.views.places import heading, place, snippet
from ragcli.errors import ExitCode

if TYPE_CHECKING:
    from ragcli.records import Retrieval, RetrievedChunk, Scope

_SNIPPET = 280


def register(app: typer.Typer) -> None:
    """Add the command."""
    examples = ('rag search "parental leave" -k 5', "rag search E-4012 --mode bm25 --filter type=policy --json")
    codes = (ExitCode.NOT_FOUND, ExitCode.MODEL, ExitCode.INDEX)
    app.command("search", epilog=epilog(*examples, codes=codes))(search)


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")],
    mode: Mode = None,
    k: K = None,
    filters: Filters = None,
    groups: Groups = None,
    as_of: AsOf = None,
    include_superseded: IncludeSuperseded = False,
    no_rerank: NoRerank = False,
    at: At = None,
) -> None:
    """Rank the chunks that match a query."""
    options = RetrievalOptions(k, filters, groups, as_of, include_superseded, no_rerank, at, mode)
    run = invocation(context)
    config = run.config(options.overrides())
    scope = options.scope(config)
    stages = wiring.Stages(config, at=options.at)
    stages.begin(clean(query))
    found = stages.retrieve(clean(query), scope)
    run.output.result(_content(found, scope, stages.engine.version), lambda: _text(found, run.output))
    notices(run, stages, found)
    if not found.hits:
        run.output.notice("nothing matches")
        raise typer.Exit(ExitCode.NOT_FOUND)


def notices(run: Invocation, stages: wiring.Stages, found: Retrieval) -> None:
    """What the reader of a ranking should know besides it."""
    for notice in stages.engine.notices:
        run.output.warning(notice)
    if found.superseded_hidden and (run.output.verbosity or not found.hits):
        documents = "1 document" if found.superseded_hidden == 1 else f"{found.superseded_hidden} documents"
        run.output.notice(f"{documents} superseded, expired or not yet in force left out (--include-superseded)")
    if run.output.verbosity:
        times = ", ".join(f"{name} {value:.1f}" for name, value in found.timings_ms.items())
        method, first_pass = dense_method(found)
        after = f" after a first pass over {first_pass.replace('_', ' ')}" if first_pass else ""
        run.output.detail(f"dense method: {method or 'none'}{after}; milliseconds: {times}")


def dense_method(found: Retrieval) -> tuple[str | None, str | None]:
    """How the scores of the dense leg were had, ``exact`` or ``hnsw``, and what named the rows to score, if anything.

    A scan of bit codes is exact in its scores alone: it can miss a row, so it is named beside the method.
    """
    if found.dense_method == "quantised":
        return "exact", "bit_codes"
    return found.dense_method, None


def _content(found: Retrieval, scope: Scope, version: str) -> dict[str, Any]:
    method, first_pass = dense_method(found)
    return {
        "schema": "rag.search/1",
        "query": found.query,
        "index_version": version,
        "mode": found.mode,
        "dense_method": method,
        "dense_first_pass": first_pass,
        "reranker": found.reranker,
        "filters": [str(item) for item in scope.filters],
        "groups": list(scope.groups),
        "superseded_hidden": found.superseded_hidden,
        "hits": [_hit(hit) for hit in found.hits],
        "timings_ms": {name: round(value, 3) for name, value in found.timings_ms.items()},
    }


def _hit(hit: RetrievedChunk) -> dict[str, Any]:
    chunk = hit.chunk
    return {
        "rank": hit.rank,
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "source": hit.source,
        "title": chunk.title,
        "heading_path": list(chunk.heading_path),
        "page": chunk.first_page,
        "lines": None if chunk.first_line is None else [chunk.first_line, chunk.last_line],
        "effective_date": hit.effective_date,
        "language": hit.language,
        "score": hit.score,
        "bm25_rank": hit.bm25_rank,
        "bm25_score": hit.bm25_score,
        "dense_rank": hit.dense_rank,
        "dense_score": hit.dense_score,
        "rerank_score": hit.rerank_score,
        "also_in": list(hit.also_in),
        "text": chunk.text,
    }


def _text(found: Retrieval, output: Output) -> str:
    return "\n\n".join(_entry(hit, output) for hit in found.hits)


def _entry(hit: RetrievedChunk, output: Output) -> str:
    chunk = hit.chunk
    lines = None if chunk.first_line is None else (chunk.first_line, chunk.last_line or chunk.first_line)
    where = place(hit.source, chunk.first_page, lines)
    legs = [f"score {hit.score:.4g}"]
    if hit.bm25_rank is not None:
        legs.append(f"bm25 #{hit.bm25_rank} ({hit.bm25_score:.2f})")
    if hit.dense_rank is not None:
        legs.append(f"dense #{hit.dense_rank} ({hit.dense_score:.3f})")
    if hit.rerank_score is not None:
        legs.append(f"rerank {hit.rerank_score:.3f}")
    title = output.style(heading(chunk.title, chunk.heading_path), "1")
    also = f"\n   also in: {shortened(', '.join(hit.also_in), 200)}" if hit.also_in else ""
    dim = output.style(f"   {' · '.join(legs)}", "2")
    return f"{hit.rank}. {title}\n   {where}{also}\n{dim}\n   {snippet(chunk.text, chunk.heading_path, _SNIPPET)}"
