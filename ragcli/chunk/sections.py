"""Which neighbouring sections share chunks: groups of pieces, none of them only headings if that can be helped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.chunk.outline import Piece
from ragcli.chunk.tokens import TokenMap


@dataclass(frozen=True, slots=True)
class Group:
    """Pieces ``first`` to ``last`` (excluded) that are packed together; ``tokens`` is the size of their text."""

    first: int
    last: int
    tokens: int
    paths: tuple[tuple[str, ...], ...]
    bare: bool
    """Whether it holds nothing but headings."""


def grouped(pieces: Sequence[Piece], tokens: TokenMap, *, minimum: int) -> list[Group]:
    """Sections in order, those under ``minimum`` tokens joined with a neighbour under the same parent.

    A section of headings alone always joins what follows it, or what precedes it at the end of the document.
    """
    result: list[Group] = []
    for group in _leaves(pieces, tokens):
        if result and _joins(result[-1], group, minimum):
            result[-1] = _joined(result[-1], group)
        else:
            result.append(group)
    if len(result) > 1 and result[-1].bare:
        result[-2:] = [_joined(result[-2], result[-1])]
    return result


def common_path(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The longest path that all paths begin with."""
    shared = paths[0] if paths else ()
    for path in paths[1:]:
        length = 0
        while length < min(len(shared), len(path)) and shared[length] == path[length]:
            length += 1
        shared = shared[:length]
    return shared


def _leaves(pieces: Sequence[Piece], tokens: TokenMap) -> list[Group]:
    """One group for each run of pieces of one innermost section."""
    result: list[Group] = []
    first = 0
    for index in range(1, len(pieces) + 1):
        if index < len(pieces) and pieces[index].section == pieces[first].section:
            continue
        run = pieces[first:index]
        size = tokens.size(run[0].span.start, run[-1].span.end)
        bare = all(piece.kind == "heading" for piece in run)
        result.append(Group(first, index, size, (run[0].path,), bare))
        first = index
    return result


def _joins(left: Group, right: Group, minimum: int) -> bool:
    if left.bare:
        return True
    if right.bare or min(left.tokens, right.tokens) >= minimum:
        return False
    return all(_related(path, right.paths[0]) for path in left.paths)


def _related(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Whether one section is the other's parent or both have the same parent."""
    if not left or not right:
        return len(left) + len(right) <= 1
    return left[:-1] == right[:-1] or left == right[:-1] or left[:-1] == right


def _joined(left: Group, right: Group) -> Group:
    paths = right.paths if left.bare else left.paths if right.bare else (*left.paths, *right.paths)
    return Group(left.first, right.last, left.tokens + right.tokens, paths, left.bare and right.bare)
