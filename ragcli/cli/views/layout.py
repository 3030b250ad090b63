"""A document beside its chunks: its text with block and chunk in the margin."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ragcli.cli.output import Output
from ragcli.cli.views.places import heading
from ragcli.codec import encode
from ragcli.display import one_line, printable
from ragcli.records import Block, Chunk, Document, Span


def text(document: Document, chunks: tuple[Chunk, ...], output: Output) -> str:
    """The document's facts, its text with chunk, kind and page in the margin, and each chunk's heading."""
    lines = [output.style(one_line(f"{document.title}  ({document.source})"), "1"), _facts(document)]
    lines += [f"warning: {one_line(warning)}" for warning in document.coverage.warnings]
    if document.coverage.stripped_lines:
        lines.append(f"stripped: {one_line(' | '.join(document.coverage.stripped_lines))}")
    lines.append("")
    lines += _margin(document, chunks, output)
    lines.append("")
    for chunk in chunks:
        name = f"#{chunk.ordinal}  {chunk.token_count} tokens  {heading(chunk.title, chunk.heading_path)}"
        lines.append(output.style(name, "36"))
        if output.verbosity:
            lines += [f"    {line}" for line in printable(chunk.indexed_text).splitlines()]
    return "\n".join(lines)


def _facts(document: Document) -> str:
    known = {name: value for name, value in encode(document.metadata).items() if value}
    extra = known.pop("extra", {})
    known |= {f"meta.{name}": value for name, value in extra.items()}
    pages = f"{document.coverage.pages_with_text} of {document.coverage.pages} pages with text"
    shown = [f"{name}: {', '.join(value) if isinstance(value, list) else value}" for name, value in known.items()]
    return one_line("; ".join([document.media_type, pages, *shown]))


def _margin(document: Document, chunks: tuple[Chunk, ...], output: Output) -> Iterator[str]:
    for block, span in _pieces(document, chunks):
        owner = next((c for c in chunks if c.span.start <= span.start < c.span.end), None)
        number = f"#{owner.ordinal}" if owner else ""
        kind = f"{block.kind} {block.level}" if block.level else block.kind
        page = f"p.{block.page}" if block.page else ""
        margin = f"{number:>4} {kind:<12} {page:<5}│ "
        for line in printable(span.of(document.text)).strip("\n").splitlines() or [""]:
            yield output.style(margin, "2") + line
            margin = " " * (len(margin) - 2) + "│ "


def _pieces(document: Document, chunks: tuple[Chunk, ...]) -> Iterator[tuple[Block, Span]]:
    """Each block, cut where a chunk begins inside it."""
    starts = sorted({chunk.span.start for chunk in chunks})
    for block in document.blocks:
        inside = [start for start in starts if block.span.start < start < block.span.end]
        edges = [block.span.start, *inside, block.span.end]
        for start, end in itertools.pairwise(edges):
            yield block, Span(start, end)
