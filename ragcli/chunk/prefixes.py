"""Titles and heading paths short enough to leave room for the text they stand before."""

from __future__ import annotations

from ragcli.interfaces import Tokenizer

ELLIPSIS = "…"
PREFIX_SHARE = 4
"""Title and heading path together take at most one part in so many of the window."""


class Prefixes:
    """Shortened title and paths of one document, and what they cost in tokens; each path is worked out once."""

    def __init__(self, title: str, tokenizer: Tokenizer, budget: int) -> None:
        self._tokenizer = tokenizer
        self._budget = budget
        self.title = _one_line(title)
        if tokenizer.count(self.title) > max(1, budget // 2):
            self.title = self._cut(self.title, budget // 2)
        self._known: dict[tuple[str, ...], tuple[tuple[str, ...], int]] = {}

    def path(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """The heading path as it will stand in the record: outer headings give way first, each visibly."""
        return self._fitted(path)[0]

    def size(self, path: tuple[str, ...]) -> int:
        """Tokens of title and path on one line, the line end included."""
        return self._fitted(path)[1]

    def _fitted(self, path: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
        if path not in self._known:
            self._known[path] = self._fit(tuple(_one_line(part) for part in path))
        return self._known[path]

    def _fit(self, path: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
        size = self._count(path)
        if size <= self._budget:
            return path, size
        for dropped in range(1, len(path)):
            short = (ELLIPSIS, *path[dropped:])
            if (size := self._count(short)) <= self._budget:
                return short, size
        last = path[-1]
        for share in range(8, 0, -1):
            short = (
                (self._cut(last, self._budget * share // 16),)
                if len(path) == 1
                else (ELLIPSIS, self._cut(last, self._budget * share // 16))
            )
            if (size := self._count(short)) <= self._budget:
                return short, size
        return (), self._count(())

    def _count(self, path: tuple[str, ...]) -> int:
        if path and path[0].casefold() == self.title.casefold():
            path = path[1:]
        line = " > ".join(part for part in (self.title, *path) if part)
        return self._tokenizer.count(line) + 1 if line else 0

    def _cut(self, text: str, budget: int) -> str:
        offsets = self._tokenizer.offsets(text)
        if len(offsets) <= budget:
            return text[: budget * 16 + 16]
        kept = text[: offsets[budget][0]] if budget else ""
        return f"{kept.rstrip()}{ELLIPSIS}" if kept.strip() else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
