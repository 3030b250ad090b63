"""Which documents name which others as superseded.

A name may be an id, a path suffix, with or without its file ending. Whether a suffix is unique depends on who asks: it
must be so among the documents that the asker may see, or the answer would tell of those the asker may not see.
Candidates are therefore kept per name, and the choice is made per question.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ragcli.codec import decode, encode
from ragcli.errors import StoreError
from ragcli.regular_files import parse_json, read_regular

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragcli.index.segments.lookup import AttributeLookup

NAME = "supersedes.json"
_MOST_BYTES = 256 << 20
_HINT = "rag versions verify; rag index --rebuild"
StoredPlace = tuple[int, int]
"""Segment and row of a document."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One name in one document's ``supersedes``, and the documents that it may mean, in tiers.

    The first tier of which the asker sees anything counts, and only when it then holds one document.
    ``effective_date`` is the naming document's own.
    """

    source: StoredPlace
    tiers: tuple[tuple[StoredPlace, ...], ...]
    effective_date: str | None


def write_references(path: Path, references: Sequence[Reference]) -> None:
    """Keep the names of a version beside it; nothing is written when there are none."""
    if references:
        path.write_text(json.dumps(encode(list(references))) + "\n", encoding="utf-8")


def read_references(path: Path, counts: Sequence[int]) -> References:
    """The names of a version whose segments have so many documents. Raises StoreError when the file is damaged."""
    try:
        found = decode(tuple[Reference, ...], parse_json(read_regular(path, _MOST_BYTES, _HINT)))
    except FileNotFoundError:
        return References(())
    except (OSError, ValueError, TypeError) as error:
        raise StoreError(f"{path} cannot be read: {error}", hint=_HINT) from error
    for reference in found:
        for segment, row in (reference.source, *(place for tier in reference.tiers for place in tier)):
            if not (0 <= segment < len(counts) and 0 <= row < counts[segment]):
                raise StoreError(f"{path} names a document {row} of segment {segment}, which is not there", hint=_HINT)
    return References(found)


class References:
    """All names in a version."""

    def __init__(self, references: Sequence[Reference]) -> None:
        self._references = tuple(references)

    def superseded(
        self,
        segments: Sequence[AttributeLookup],
        living: Sequence[NDArray[np.bool_] | None],
        visible: Sequence[NDArray[np.bool_] | None],
        as_of: str,
    ) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Per segment: rows superseded on that date, and rows whose dated successor was not yet effective.

        Of two documents that name each other the one with the later date counts, and neither when no date tells.
        """
        import numpy as np

        dates: dict[tuple[StoredPlace, StoredPlace], str | None] = {}
        for reference in self._references:
            target = _meant(reference, living, visible) if _shown(reference.source, living, visible) else None
            if target is not None:
                dates[(reference.source, target)] = reference.effective_date
        replaced: set[StoredPlace] = set()
        later: set[StoredPlace] = set()
        for (source, target), started in dates.items():
            if (target, source) in dates and (started or "") <= (dates[(target, source)] or ""):
                continue
            (replaced if started is None or started <= as_of else later).add(target)
        result = []
        for number in range(len(segments)):
            rows = sorted(row for segment, row in replaced if segment == number)
            waiting = sorted(row for segment, row in later - replaced if segment == number)
            result.append((np.asarray(rows, dtype=np.int64), np.asarray(waiting, dtype=np.int64)))
        return result


def _shown(
    place: StoredPlace, living: Sequence[NDArray[np.bool_] | None], visible: Sequence[NDArray[np.bool_] | None]
) -> bool:
    segment, row = place
    alive, seen = living[segment], visible[segment]
    return (alive is None or bool(alive[row])) and (seen is None or bool(seen[row]))


def _meant(
    reference: Reference, living: Sequence[NDArray[np.bool_] | None], visible: Sequence[NDArray[np.bool_] | None]
) -> StoredPlace | None:
    for tier in reference.tiers:
        targets = [place for place in tier if _shown(place, living, visible)]
        if targets:
            return targets[0] if len(targets) == 1 else None
    return None


def resolve(
    naming: Iterable[tuple[StoredPlace, str, str, str | None]], places: Mapping[str, StoredPlace]
) -> list[Reference]:
    """References from (place, doc_id, name, effective date) of the naming documents, among all ``places`` by id.

    An id comes first, then a neighbour in the same folder, then every document whose path ends in the name.
    """
    wanted = list(naming)
    if not wanted:
        return []
    by_name: dict[str, list[str]] = {}
    for doc_id in places:
        last = doc_id.rpartition("/")[2]
        for name in {last, PurePosixPath(last).stem}:
            by_name.setdefault(name, []).append(doc_id)
    found = []
    for place, doc_id, name, effective_date in wanted:
        tiers = tuple(_tiers(doc_id, name.strip().removeprefix("./").strip("/"), places, by_name))
        if tiers:
            found.append(Reference(place, tiers, effective_date))
    return found


def _tiers(
    doc_id: str, name: str, places: Mapping[str, StoredPlace], by_name: Mapping[str, list[str]]
) -> Iterator[tuple[StoredPlace, ...]]:
    folder = doc_id.rpartition("/")[0]
    neighbour = f"{folder}/{name}" if folder else name
    for exact in dict.fromkeys((name, neighbour)):
        if exact in places and exact != doc_id:
            yield (places[exact],)
    candidates = by_name.get(name.rpartition("/")[2], [])
    ending = tuple(sorted(places[other] for other in candidates if other != doc_id and _ends_in(other, name)))
    if ending:
        yield ending


def _ends_in(doc_id: str, name: str) -> bool:
    for spelling in (doc_id, str(PurePosixPath(doc_id).with_suffix(""))):
        if spelling == name or spelling.endswith("/" + name):
            return True
    return False
