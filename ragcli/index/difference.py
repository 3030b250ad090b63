"""What differs between two versions: documents, and the chunks they gained and lost."""

from __future__ import annotations

from collections import Counter

from ragcli.index.view import View
from ragcli.records import VersionDiff


def difference(before: str, old: View, after: str, new: View) -> VersionDiff:
    """Documents added, changed and removed from ``old`` to ``new``; chunks are compared by their indexed text."""
    was = {doc_id: (segment, row, key) for segment, row, doc_id, key in old.documents()}
    now = {doc_id: (segment, row, key) for segment, row, doc_id, key in new.documents()}
    added, removed = sorted(set(now) - set(was)), sorted(set(was) - set(now))
    changed = sorted(doc_id for doc_id in set(was) & set(now) if was[doc_id][2] != now[doc_id][2])
    gained = lost = 0
    for doc_id in (*added, *removed, *changed):
        texts_before = _texts(old, was.get(doc_id))
        texts_after = _texts(new, now.get(doc_id))
        gained += (texts_after - texts_before).total()
        lost += (texts_before - texts_after).total()
    return VersionDiff(before, after, tuple(added), tuple(changed), tuple(removed), gained, lost)


def _texts(view: View, place: tuple[int, int, str] | None) -> Counter[str]:
    if place is None:
        return Counter()
    return Counter(chunk.indexed_text for chunk in view.segments[place[0]].chunks(place[1]))
