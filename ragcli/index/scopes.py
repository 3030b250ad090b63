"""What an asker may see of an open version, and what else every engine does alike whatever keeps its records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from ragcli.codec import decode
from ragcli.config import IndexConfig
from ragcli.errors import ConfigError, StoreError
from ragcli.index.lexical.questions import question_terms
from ragcli.index.segments.lookup import AttributeLookup
from ragcli.index.segments.selection import Selection, select
from ragcli.index.segments.supersedes import References
from ragcli.names import valid
from ragcli.records import Allowed, Hit, Ranking, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragcli.interfaces import Engine

_SCOPES_KEPT = 64
_LONGEST_ORDINAL = 9


@dataclass(frozen=True, slots=True)
class Current:
    """The current version as an older one sees it: what it is called by now, and how it is opened."""

    name: Callable[[], str | None]
    open: Callable[[], AbstractContextManager[Engine]]


class Scopes:
    """The chunks that each scope may see, kept for its next question.

    ``living`` flags the documents of each of the ``segments`` that are not dead, None where all live; ``doc_ids`` gives
    their names. With ``current``, what that version closes is not seen in this one either.
    """

    def __init__(
        self,
        segments: Sequence[AttributeLookup],
        living: Sequence[NDArray[np.bool_] | None],
        references: References,
        *,
        doc_ids: Callable[[], Iterable[Sequence[str]]],
        default_acl: tuple[str, ...],
        current: Current | None,
    ) -> None:
        self._segments, self._living, self._references = segments, living, references
        self._doc_ids, self._default_acl, self._current = doc_ids, default_acl, current
        self._allowed: dict[tuple[Scope, str, str | None], Allowed] = {}

    def allowed(self, scope: Scope) -> Allowed:
        """What ``scope`` may see today. Raises ConfigError for a date or a filter that cannot be used."""
        today = date.today().isoformat()
        if scope.as_of is not None:
            _check_date(scope.as_of)
        asked = (scope, today, self._current.name() if self._current is not None else None)
        known = self._allowed.get(asked)
        if known is None:
            selection = select(
                self._segments,
                self._living,
                self._references,
                scope,
                today=today,
                default_acl=self._default_acl,
                closed=self._closed_by_now(scope.groups),
            )
            known = Allowed(selection.count, selection.superseded_hidden, selection)
            if len(self._allowed) >= _SCOPES_KEPT:
                self._allowed.pop(next(iter(self._allowed)))
            self._allowed[asked] = known
        return known

    def _closed_by_now(self, groups: tuple[str, ...]) -> list[NDArray[np.bool_]] | None:
        """Of each segment the documents that the current version holds and does not show to the groups."""
        import numpy as np

        if self._current is None:
            return None
        with self._current.open() as current:
            shown = current.doc_ids(current.allowed(Scope(groups=groups, include_superseded=True)))
            closed = set(current.doc_ids()).difference(shown)
        if not closed:
            return None
        return [np.asarray([doc_id in closed for doc_id in names], dtype=bool) for names in self._doc_ids()]


def selected(allowed: Allowed) -> Selection:
    """What ``Scopes.allowed`` selected. Raises TypeError for what no engine of this room made."""
    if not isinstance(allowed.token, Selection):
        raise TypeError("allowed was not made by this engine")
    return allowed.token


def titled(titles: Sequence[str], selection: Selection, doc_ids: Iterable[Sequence[str]]) -> list[str]:
    """The selected documents that have one of the titles, sorted; ``doc_ids`` names those of each segment."""
    found: list[str] = []
    for place, (segment, names) in enumerate(zip(selection.segments, doc_ids, strict=True)):
        mask = segment.marked("title", [valid(title) for title in titles])
        seen = selection.documents(place)
        found += [names[row] for row in (mask if seen is None else mask & seen).nonzero()[0].tolist()]
    return sorted(found)


def terms_of(query: str, selection: Selection, languages: Sequence[str], config: IndexConfig) -> dict[str, int]:
    """The question's terms in the languages of what its asker may see; others would tell that there are more.

    ``languages`` are those of the whole version.
    """
    seen = selection.languages
    return question_terms(query, languages if seen is None else sorted(seen | {"en"}), config.stop_words)


def boosts_of(config: IndexConfig) -> dict[str, float]:
    """How much the fields beside a chunk's own text count in BM25."""
    return {"title": config.title_boost, "headings": config.heading_boost, "nearby": config.nearby_boost}


def ranked(retriever: str, scores: Iterable[tuple[str, float]]) -> Ranking:
    """Chunk ids with their scores as a ranking, ties broken by id."""
    ordered = sorted(scores, key=lambda hit: (-hit[1], hit[0]))
    return Ranking(retriever, tuple(Hit(name, score, rank) for rank, (name, score) in enumerate(ordered, start=1)))


def chunk_place(chunk_id: str) -> tuple[str, int]:
    """The document and the ordinal of a chunk id. Raises KeyError for what is none."""
    doc_id, _, ordinal = chunk_id.rpartition("#")
    if not (ordinal.isascii() and ordinal.isdigit()) or len(ordinal) > _LONGEST_ORDINAL or ordinal[0] == "0":
        raise KeyError(chunk_id)
    return doc_id, int(ordinal)


def built_with(config: Mapping[str, Mapping[str, Any]], version: str) -> IndexConfig:
    """The index settings that a version was built under, as far as this ragcli knows them."""
    try:
        return decode(IndexConfig, config.get("index", {}))
    except TypeError as error:
        raise StoreError(
            f"{version} was built under settings that cannot be: {error}", hint="rag index --rebuild"
        ) from error


def _check_date(text: str) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"bad date {text!r} for as-of", hint="write YYYY-MM-DD") from None
