"""Tells a golden set from a file of documents: questions with their answers must not be found as sources."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_LABELS = frozenset(
    (
        "answerable",
        "expected",
        "expected_answer",
        "expected_answer_contains",
        "expected_chunk",
        "expected_chunks",
        "expected_source",
        "expected_sources",
    )
)
_TEXTS = ("text", "body", "content", "abstract")


def count_questions(text: str) -> int:
    """How many cases a JSON Lines file holds when every row is a case of a golden set; 0 when one row is not.

    A case has a ``question``, says what is expected or whether there is an answer, and has no text of its own.
    """
    count = 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            return 0
        if not _is_case(row):
            return 0
        count += 1
    return count


def _is_case(row: Any) -> bool:
    if not isinstance(row, Mapping) or not isinstance(row.get("question"), str):
        return False
    return not _LABELS.isdisjoint(row) and not any(isinstance(row.get(key), str) for key in _TEXTS)
