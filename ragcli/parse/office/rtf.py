"""RTF as paragraphs, through striprtf."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragcli.errors import ParseError
from ragcli.parse.assemble import Assembly, squeeze
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.tables import table_text
from ragcli.records import Coverage


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document. Raises ParseError when it is no RTF."""
    del context
    from striprtf.striprtf import rtf_to_text

    try:
        text = rtf_to_text(source.data.decode("latin-1"), encoding="cp1252", errors="replace")
    except (UnicodeError, ValueError, IndexError, KeyError, LookupError) as error:
        raise ParseError(f"{source.doc_id}: not readable RTF: {error}") from error
    assembly = Assembly()
    tables = 0
    for part in re.split(r"((?:^[^\n]*\|[^\n]*\|[ \t]*(?:\n|\Z)){2,})", text, flags=re.M):
        if re.match(r"[^\n]*\|[^\n]*\|[ \t]*\n", part):
            assembly.add("table", table_text(line.strip().strip("|").split("|") for line in part.strip().split("\n")))
            tables += 1
        else:
            for paragraph in part.split("\n"):
                assembly.add("paragraph", squeeze(paragraph))
    yield Extract(assembly.text, assembly.blocks, coverage=Coverage(tables=tables), encoding="cp1252")
