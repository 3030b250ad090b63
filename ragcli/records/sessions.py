"""A conversation as it is kept: its turns, and what a list of conversations shows of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and its answer. ``groups`` are those it was asked with: who has fewer does not get to see it.

    ``source`` is where the answer was first cited from, empty when nothing was found.
    """

    created: str
    question: str
    standalone_question: str
    answer: str
    found: bool
    trace_id: str
    doc_ids: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One line of ``rag session list``."""

    name: str
    turns: int
    last: str
