"""The documents of one version by row, sorted by id, with what filters look them up by."""

from __future__ import annotations

import bisect
import functools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ragcli.index.postgres.database import Database, as_key, as_name
from ragcli.index.postgres.versions import AT
from ragcli.index.segments.attributes import SUPERSEDES
from ragcli.index.segments.supersedes import References, resolve
from ragcli.names import valid

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class VersionRows:
    """``segments.lookup.AttributeLookup`` over one version. What is read stays in memory: a version does not change."""

    def __init__(self, database: Database, number: int) -> None:
        import numpy as np

        self._database = database
        self._number = number
        rows = database.rows(
            f"SELECT p.doc_id, content, entry_key, chunk_count FROM places p JOIN contents USING (content) WHERE {AT} "
            "ORDER BY p.doc_id",
            {"version": number},
        )
        self.doc_ids = [as_name(doc_id) for doc_id, _, _, _ in rows]
        self.entry_keys = [str(key) for _, _, key, _ in rows]
        self.contents: NDArray[np.int64] = np.asarray([content for _, content, _, _ in rows], dtype=np.int64)
        self.sizes: NDArray[np.int64] = np.asarray([count for _, _, _, count in rows], dtype=np.int64)
        self._order = np.argsort(self.contents)
        self._sorted = self.contents[self._order]
        self._attributes: dict[str, tuple[list[str], list[NDArray[np.int64]]]] = {}

    @property
    def document_count(self) -> int:
        """Rows."""
        return len(self.doc_ids)

    @property
    def chunk_count(self) -> int:
        """Chunks of all documents."""
        return int(self.sizes.sum())

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The content of each document."""
        return self.contents

    @functools.cached_property
    def row_of(self) -> dict[str, int]:
        """Row of each document by id."""
        return {doc_id: row for row, doc_id in enumerate(self.doc_ids)}

    def rows_of(self, contents: Sequence[int]) -> NDArray[np.int64]:
        """The row of each content that is in the version, ascending where the contents are."""
        import numpy as np

        wanted = np.asarray(contents, dtype=np.int64)
        if not len(self._sorted):
            return np.zeros(0, dtype=np.int64)
        places = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
        found: NDArray[np.int64] = self._order[places[self._sorted[places] == wanted]]
        return found

    def _held(self, key: str) -> tuple[list[str], list[NDArray[np.int64]]]:
        """Values of a key, sorted, with the rows that have each."""
        if key not in self._attributes:
            found = self._database.rows(
                "SELECT value, array_agg(content) FROM attributes JOIN places USING (content) "
                f"WHERE key = %(key)s AND {AT} GROUP BY value ORDER BY value",
                {"key": as_key(key), "version": self._number},
            )
            values = [as_name(value) for value, _ in found]
            self._attributes[key] = values, [self.rows_of(contents) for _, contents in found]
        return self._attributes[key]

    def values(self, key: str, low: str = "", high: str | None = None) -> list[str]:
        """The distinct values of a key in ``low <= value < high``, sorted."""
        held, _ = self._held(key)
        first = bisect.bisect_left(held, valid(low))
        return held[first:] if high is None else held[first : bisect.bisect_left(held, valid(high))]

    def posting_keys(self) -> list[str]:
        """The keys that occur, sorted."""
        rows = self._database.rows(
            f"SELECT DISTINCT key FROM attributes JOIN places USING (content) WHERE {AT} ORDER BY key",
            {"version": self._number},
        )
        return [as_name(key) for (key,) in rows]

    def marked(self, key: str, values: Iterable[str]) -> NDArray[np.bool_]:
        """A flag per document: whether it has ``key`` with one of the values."""
        import numpy as np

        mask = np.zeros(self.document_count, dtype=bool)
        self.mark(key, values, mask)
        return mask

    def mark(self, key: str, values: Iterable[str], mask: NDArray[np.bool_]) -> None:
        """Set ``mask`` (a flag per document) for the documents that have ``key`` with one of the values."""
        held, rows = self._held(key)
        for value in map(valid, values):
            place = bisect.bisect_left(held, value)
            if place < len(held) and held[place] == value:
                mask[rows[place]] = True

    @functools.cached_property
    def references(self) -> References:
        """What the documents say they supersede."""
        names, rows = self._held(SUPERSEDES)
        if not names:
            return References(())
        dates: dict[int, str] = {}
        for date, dated in zip(*self._held("effective_date"), strict=True):
            dates.update(dict.fromkeys(dated.tolist(), date))
        naming = [
            ((0, row), self.doc_ids[row], name, dates.get(row))
            for name, named in zip(names, rows, strict=True)
            for row in sorted(named.tolist())
        ]
        return References(resolve(naming, {doc_id: (0, row) for row, doc_id in enumerate(self.doc_ids)}))
