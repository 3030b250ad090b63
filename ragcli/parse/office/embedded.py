"""Texts of another format inside a document (Word's ``altChunk``), read by the parser of their own format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ragcli.errors import ParseError
from ragcli.parse.conditions import setting
from ragcli.parse.detect import detect
from ragcli.parse.registry import family_of, parser_of
from ragcli.parse.source import Context, Extract, Source
from ragcli.records import BlockKind

Inside = tuple[BlockKind, str, int | None]


def blocks_inside(inner: Source, outer: Source, context: Context) -> Iterator[Inside | str]:
    """Kind, text and level of each block of ``inner``; a line of text for what of it could not be read.

    It counts against the limits of containers: their depth, their entries, the size of what is in them.
    """
    name = inner.doc_id.rsplit("!", 1)[-1]
    try:
        if outer.depth >= context.config.archive_depth:
            context.conditions.add(setting("archive_depth"))
            raise ParseError(f"deeper than ingest.archive_depth = {context.config.archive_depth}")
        context.budget.take(len(inner.data), inner.doc_id)
        kind = detect(inner.name, inner.extension, inner.data)
        inner = replace(inner, media_type=kind, depth=outer.depth + 1)
        for outcome in parser_of(family_of(kind))(inner, context):
            if isinstance(outcome, Extract):
                yield from ((block.kind, block.span.of(outcome.text), block.level) for block in outcome.blocks)
                yield from (f"{name}: {warning}" for warning in outcome.coverage.warnings)
            else:
                yield f"{name}: holds {outcome.doc_id if isinstance(outcome, Source) else outcome.path}, not read"
    except ParseError as error:
        yield f"embedded text not read: {name}: {error.message}"
