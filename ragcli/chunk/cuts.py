"""What every strategy produces: where a chunk lies, before it is a record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ragcli.records import Span

HeadingPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """Where one chunk lies, under which headings, and what it repeats from before.

    ``continues`` says that it goes on with the prose of the cut before, so that sentences of it may be repeated.
    """

    span: Span
    path: HeadingPath
    lead: str = ""
    continues: bool = False


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large chunks may be, in tokens.

    ``wanted`` is the text without the headings it begins with, ``minimum`` the size under which neighbours are
    joined; ``room`` says what the window leaves for a chunk under a heading path, lead and headings included.
    """

    wanted: int
    minimum: int
    room: Callable[[HeadingPath], int]

    def limit(self, path: HeadingPath) -> int:
        """Tokens of text under a heading path."""
        return max(1, min(self.wanted, self.room(path)))
