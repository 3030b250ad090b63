"""What an evaluation expects: questions and the places that answer them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Judgment:
    """What a golden case expects to be found: a document, or one place in it.

    ``source`` is a doc_id or a unique path suffix of one. Without ``chunk``, ``quote``, ``heading`` and ``page`` the
    whole document is meant. ``chunk`` is the ordinal of a chunk (from 1), ``page`` counts from 1. Grades of
    ``relevance`` rise with usefulness.
    """

    source: str
    chunk: int | None = None
    quote: str = ""
    heading: str = ""
    page: int | None = None
    relevance: int = 1

    @property
    def whole_document(self) -> bool:
        """Whether every place of the document counts."""
        return self.chunk is None and self.page is None and not self.quote and not self.heading

    def __str__(self) -> str:
        if self.chunk is not None:
            return f"{self.source}#{self.chunk}"
        if self.page is not None:
            return f"{self.source}#page={self.page}"
        if self.quote:
            return f"{self.source} “{self.quote}”"
        return f"{self.source}#{self.heading}" if self.heading else self.source


@dataclass(frozen=True, slots=True)
class GoldenCase:
    """One question with what is expected of retrieval and answer.

    ``judgments`` are the labels that ranking measures count. ``evidence`` are finer places inside the judged documents
    (the sentence or paragraph that answers), used to measure context and to follow a loss; empty when the judgments
    are all there is. ``answers`` are accepted answers, the main one first; every entry of ``contains`` must stand in
    the answer, an entry being a tuple of alternatives. ``made_by`` says where a label came from when no person did
    it. ``where`` is ``file:line``.
    """

    case_id: str
    question: str
    judgments: tuple[Judgment, ...] = ()
    evidence: tuple[Judgment, ...] = ()
    answerable: bool = True
    answers: tuple[str, ...] = ()
    contains: tuple[tuple[str, ...], ...] = ()
    filters: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    made_by: str = ""
    where: str = ""
