"""A heading found in a text."""

from __future__ import annotations

from dataclasses import dataclass

from ragcli.records import Span


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading's span, marks included, its clean title and its level from 1."""

    span: Span
    title: str
    level: int
