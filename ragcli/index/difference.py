"""What differs between two versions: documents, and the chunks they gained and lost."""

from __future__ import annotations

from collections import Counter

from ragcli.index.engine import FolderEngine
from ragcli.records import Scope, VersionDiff

Places = dict[str, tuple[int, int, str]]
"""Segment, row and entry key of documents, by id."""


def difference(old: FolderEngine, new: FolderEngine, scope: Scope) -> VersionDiff:
    """Documents added, changed and removed from ``old`` to ``new``; chunks are compared by their indexed text.

    Only what ``scope`` may see counts, in each version by the rules of that version: a document that was closed to it
    in between is one that is gone.
    """
    was, now = _places(old, scope), _places(new, scope)
    added, removed = sorted(set(now) - set(was)), sorted(set(was) - set(now))
    changed = sorted(doc_id for doc_id in set(was) & set(now) if was[doc_id][2] != now[doc_id][2])
    gained = lost = 0
    for doc_id in (*added, *removed, *changed):
        texts_before = _texts(old, was.get(doc_id))
        texts_after = _texts(new, now.get(doc_id))
        gained += (texts_after - texts_before).total()
        lost += (texts_before - texts_after).total()
    return VersionDiff(old.version, new.version, tuple(added), tuple(changed), tuple(removed), gained, lost)


def _places(engine: FolderEngine, scope: Scope) -> Places:
    seen = frozenset(engine.doc_ids(engine.allowed(scope)))
    return {doc_id: (segment, row, key) for segment, row, doc_id, key in engine.view.documents() if doc_id in seen}


def _texts(engine: FolderEngine, place: tuple[int, int, str] | None) -> Counter[str]:
    if place is None:
        return Counter()
    return Counter(chunk.indexed_text for chunk in engine.view.segments[place[0]].chunks(place[1]))
