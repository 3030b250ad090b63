"""What filters, groups and dates look documents up by: (key, value) → rows of documents.

Access groups are kept as whole sets (one value per distinct set, as JSON), so that "public" is a value like any other
and a document is seen through exactly one entry.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

from ragcli.names import valid
from ragcli.records import Document

if TYPE_CHECKING:
    from array import array

ACL = "acl"
SUPERSEDES = "supersedes"
_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ].*)?", re.DOTALL)


def entries(document: Document) -> Iterator[tuple[str, str]]:
    """Every (key, value) by which a document is found; values are as they are compared."""
    metadata = document.metadata
    yield ACL, acl_value(metadata.acl)
    yield from (("source", name) for name in (document.source, *document.also_in))
    yield "doc_id", document.doc_id
    yield "title", document.title
    yield from (("tag", tag) for tag in metadata.tags)
    yield from ((SUPERSEDES, name) for name in metadata.supersedes)
    single = {"lang": metadata.language, "type": metadata.type, "status": metadata.status}
    dates = {"effective_date": metadata.effective_date, "modified": metadata.modified, "expires": metadata.expires}
    dates["date"] = metadata.effective_date or _day(metadata.extra.get("date", "")) or metadata.modified
    yield from ((key, value) for key, value in (single | dates).items() if value)
    yield from ((f"meta.{name}", value) for name, value in metadata.extra.items())


def _day(text: str) -> str | None:
    """The day of a date or of a time by ISO 8601; None for anything else."""
    match = _DATE.fullmatch(text)
    try:
        return date.fromisoformat(match[1]).isoformat() if match else None
    except ValueError:
        return None


def acl_value(groups: tuple[str, ...]) -> str:
    """One access set as text: ``[]`` is that of a document that names no group."""
    return json.dumps(sorted(set(groups)), ensure_ascii=True)


class AttributeRows:
    """Collects the entries of documents added in order of rows."""

    def __init__(self) -> None:
        self._lists: dict[tuple[str, str], int | array[int]] = {}
        self._documents = 0

    def add(self, row: int, document: Document) -> None:
        """Add the document at ``row``."""
        from array import array

        self._documents = row + 1
        for entry in dict.fromkeys((key, valid(value)) for key, value in entries(document)):
            known = self._lists.get(entry)
            if known is None:
                self._lists[entry] = row  # most values belong to one document: no list for those
            elif isinstance(known, int):
                self._lists[entry] = array("i", (known, row))
            else:
                known.append(row)

    def rows(self) -> Iterator[tuple[str, str, int, bytes]]:
        """(key, value, count, rows as little-endian int32), sorted; the rows are empty when all documents are meant."""
        import sys
        from array import array

        for (key, value), known in sorted(self._lists.items(), key=lambda item: item[0]):
            found = array("i", (known,)) if isinstance(known, int) else known
            if sys.byteorder == "big":
                found.byteswap()
            whole = len(found) == self._documents
            yield key, value, len(found), b"" if whole else found.tobytes()
