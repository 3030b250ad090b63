"""Records as PostgreSQL keeps them: JSON in ASCII, as bytes; the server compresses what is long.

What is stored can so be searched by the server for what is left of a text.
"""

from __future__ import annotations

from typing import Any, TypeVar

from ragcli.codec import decode
from ragcli.errors import StoreError
from ragcli.index.staged.database import canonical
from ragcli.records import Document
from ragcli.regular_files import parse_json

Record = TypeVar("Record")

_HINT = "rag versions verify; rag index --rebuild"

bytes_of = canonical
"""A JSON value as bytes that are equal exactly when the values are."""


def record_of(kind: type[Record], stored: bytes, **more: Any) -> Record:
    """The record that was stored, with the fields ``more``. Raises StoreError when it is none."""
    try:
        content = parse_json(bytes(stored))
        return decode(kind, {**content, **more} if more and isinstance(content, dict) else content)
    except (TypeError, ValueError) as error:
        raise StoreError(f"a stored record is damaged: {str(error)[:200]}", hint=_HINT) from error


def document_of(head: bytes, body: bytes) -> Document:
    """A document from its two stored records. Raises StoreError when they are none."""
    try:
        content = parse_json(bytes(body))
    except ValueError as error:
        raise StoreError(f"a stored record is damaged: {str(error)[:200]}", hint=_HINT) from error
    return record_of(Document, head, **(content if isinstance(content, dict) else {}))
