"""Where the links of a text lead, kept with their words: ``return form: https://…``, a line each, after their section.

In the text they are searched and can be quoted; at the end of the section they are in nobody's way.
"""

from __future__ import annotations

import re

from ragcli.parse.assemble import Assembly, one_line

_SCHEMES = re.compile(r"(?:https?|ftp|mailto|tel|file|sftp):|www\.|\\\\", re.I)
_BARE = re.compile(r"^(?:https?://|mailto:|tel:)|/$", re.I)
_LONGEST = 300  # characters of a target; longer ones carry data, not a place


class Links:
    """Collects the links of a section until ``write`` puts them under it."""

    def __init__(self) -> None:
        self._lines: dict[str, None] = {}

    def add(self, words: str, target: str) -> None:
        """Keep a link unless it leads into the page itself, or its words already say where to."""
        words, target = one_line(words), one_line(target)
        if not words or len(target) > _LONGEST or not _SCHEMES.match(target):
            return
        if _BARE.sub("", target).casefold() not in words.casefold():
            self._lines[f"{words}: {target}"] = None

    def write(self, assembly: Assembly, *, page: int | None = None) -> None:
        """Append the links so far as one block, and forget them."""
        assembly.add("other", "\n".join(self._lines), page=page)
        self._lines.clear()
