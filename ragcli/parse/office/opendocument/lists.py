"""The numbers of OpenDocument's lists and headings (OpenDocument 1.3, part 3, 5.3 and 19.880)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ragcli.parse.office.number_forms import OPEN_DOCUMENT, written
from ragcli.parse.office.opendocument.styles import Level

_PLACE = re.compile(r"%(\d+)%")


@dataclass(slots=True)
class Counter:
    """Counts the items of one list, level by level from 1."""

    levels: Mapping[int, Level]
    counts: dict[int, int] = field(default_factory=dict)

    def item(self, level: int, start: int | None = None) -> str:
        """What stands before the next item of a level (``-`` for a bullet, empty for nothing), counted.

        ``start`` is the number it is to have.
        """
        own = self.levels.get(level, Level())
        for above in range(1, level):  # a level that is missing above counts as if it stood there once
            self.counts.setdefault(above, self.levels.get(above, Level()).start)
        following = self.counts[level] + 1 if level in self.counts else own.start
        self.counts[level] = following if start is None else start
        for deeper in [place for place in self.counts if place > level]:
            del self.counts[deeper]
        if own.kind == "bullet":
            return "-"
        return self._marker(level, own) if own.form else ""

    def _marker(self, level: int, own: Level) -> str:
        if own.pattern:
            return _PLACE.sub(lambda match: self._number(int(match[1])), own.pattern).strip()
        first = max(1, level - own.shown_levels + 1)
        numbers = [number for place in range(first, level + 1) if (number := self._number(place))]
        return f"{own.prefix}{'.'.join(numbers)}{own.suffix}".strip()

    def _number(self, level: int) -> str:
        form = self.levels.get(level, Level()).form
        return written(self.counts.get(level, 1), OPEN_DOCUMENT.get(form, "decimal")) if form else ""
