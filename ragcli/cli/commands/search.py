"""``rag search``: retrieval alone, with each leg's rank and score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

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
    from ragcli import Index
    from ragcli.records import Retrieval, RetrievedChunk

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
    index = run.index_with(options.overrides(), at=at)
    found = index.search(clean(query), **options.scope())
    run.output.result(found.to_json(), lambda: _text(found, run.output))
    notices(run, index, found)
    if not found.hits:
        run.output.notice("nothing matches")
        raise typer.Exit(ExitCode.NOT_FOUND)


def notices(run: Invocation, index: Index, found: Retrieval) -> None:
    """What the reader of a ranking should know besides it."""
    for notice in index.reader.engine.notices:
        run.output.warning(notice)
    gone = len(index.gone_roots())
    if gone:  # how many, and not which: their names are not for everyone
        total = len(index.reader.engine.roots)
        run.output.notice(f"{gone} of {total} ingested folders are gone: passages may be old or deleted (rag doctor)")
    if found.superseded_hidden and (run.output.verbosity or not found.hits):
        documents = "1 document" if found.superseded_hidden == 1 else f"{found.superseded_hidden} documents"
        run.output.notice(f"{documents} superseded, expired or not yet in force left out (--include-superseded)")
    if run.output.verbosity:
        times = ", ".join(f"{name} {value:.1f}" for name, value in found.timings_ms.items())
        method, first_pass = found.scoring
        after = f" after a first pass over {first_pass.replace('_', ' ')}" if first_pass else ""
        run.output.detail(f"dense method: {method or 'none'}{after}; milliseconds: {times}")


def _text(found: Retrieval, output: Output) -> str:
    return "\n\n".join(_entry(hit, output) for hit in found.hits)


def _entry(hit: RetrievedChunk, output: Output) -> str:
    chunk = hit.chunk
    where = place(hit.source, chunk.first_page, hit.lines)
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
