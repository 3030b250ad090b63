"""Checks a graph file before hnswlib loads it, because hnswlib believes every number in it.

A damaged or crafted file could otherwise make it read or write outside its memory. The layout is that of hnswlib 0.8:
a header, then per element its level-0 links, vector and label, then per element the links of its upper levels.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.errors import StoreError
from ragcli.regular_files import check_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEADER = struct.Struct("<QQQQQQiIQQQdQ")
_BLOCK = 65_536
_MAX_LEVEL = 64


class GraphFileError(Exception):
    """The graph cannot be used; exact search serves instead."""


@dataclass(frozen=True, slots=True)
class _Header:
    offset_level0: int
    max_elements: int
    count: int
    element_bytes: int
    label_offset: int
    data_offset: int
    max_level: int
    entry_point: int
    max_m: int
    max_m0: int
    m: int
    mult: float
    ef_construction: int


def check_graph_file(path: Path, *, count: int, dimension: int, m: int) -> None:
    """Raise GraphFileError unless every size, label and link in the file is within bounds for this many rows."""
    import numpy as np

    try:
        check_file(path)
        content = np.memmap(path, dtype=np.uint8, mode="r")
    except (OSError, ValueError, StoreError) as error:
        raise GraphFileError(f"{path.name} cannot be read: {error}") from error
    if len(content) < _HEADER.size:
        raise GraphFileError(f"{path.name} is cut off")
    header = _Header(*_HEADER.unpack(content[: _HEADER.size].tobytes()))
    _check_header(header, count, dimension, m)
    elements_end = _HEADER.size + count * header.element_bytes
    if len(content) < elements_end:
        raise GraphFileError(f"{path.name} is cut off")
    _check_elements(content[_HEADER.size : elements_end].reshape(count, header.element_bytes), header)
    _check_upper(content[elements_end:], header)


def _check_header(header: _Header, count: int, dimension: int, m: int) -> None:
    links = 2 * m * 4 + 4
    expected = (0, count, links + dimension * 4 + 8, links + dimension * 4, links, m, 2 * m, m)
    found = (
        header.offset_level0,
        header.count,
        header.element_bytes,
        header.label_offset,
        header.data_offset,
        header.max_m,
        header.max_m0,
        header.m,
    )
    if found != expected or header.max_elements != count:
        raise GraphFileError(f"the graph's header {found} does not fit the index {expected}")
    if not (0 <= header.max_level <= _MAX_LEVEL and header.entry_point < count):
        raise GraphFileError("the graph's entry point is out of bounds")


def _check_elements(elements: NDArray[np.uint8], header: _Header) -> None:
    import numpy as np

    seen = np.zeros(header.count, dtype=bool)
    for start in range(0, header.count, _BLOCK):
        block = np.ascontiguousarray(elements[start : start + _BLOCK, : header.data_offset]).view("<u4")
        _check_links(block, header.max_m0, header.count)
        labels = np.ascontiguousarray(elements[start : start + _BLOCK, header.label_offset :]).view("<u8").ravel()
        if labels.max(initial=0) >= header.count:
            raise GraphFileError("a label of the graph is out of bounds")
        seen[labels.astype(np.int64)] = True
    if not seen.all():
        raise GraphFileError("the graph does not hold every row")


def _check_links(lists: NDArray[np.uint32], capacity: int, count: int) -> None:
    """Each row of ``lists`` is a length (low 16 bits) and ``capacity`` places for ids.

    The bits above mark an element that was deleted, which none is in a file of ours.
    """
    import numpy as np

    if (lists[:, 0] >> 16).any():
        raise GraphFileError("an element of the graph is marked as deleted")
    lengths = lists[:, 0] & 0xFFFF
    used = np.arange(capacity)[None, :] < lengths[:, None]
    if lengths.max(initial=0) > capacity or (lists[:, 1:][used] >= count).any():
        raise GraphFileError("a link of the graph is out of bounds")


def _check_upper(content: NDArray[np.uint8], header: _Header) -> None:
    import numpy as np

    level_bytes = header.max_m * 4 + 4
    levels, blocks = _upper_lists(memoryview(content.tobytes()), header.count, level_bytes)
    if levels[header.entry_point] != header.max_level or levels.max(initial=0) > header.max_level:
        raise GraphFileError("the graph's entry point is not at its top")
    for block in blocks:
        lists = np.frombuffer(block, dtype="<u4").reshape(-1, header.max_m + 1)
        _check_links(lists, header.max_m, header.count)
        for level, links in enumerate(lists, start=1):
            # hnswlib follows a link on the same level of the other element, which must therefore have that level.
            if (levels[links[1 : 1 + (links[0] & 0xFFFF)]] < level).any():
                raise GraphFileError("a link of the graph leads to a level that is not there")


def _upper_lists(content: memoryview, count: int, level_bytes: int) -> tuple[NDArray[np.int64], list[memoryview]]:
    """The number of upper levels of each element, and the bytes of those that have any."""
    import numpy as np

    levels = np.zeros(count, dtype=np.int64)
    blocks: list[memoryview] = []
    place, end, unpack = 0, len(content), struct.Struct("<I").unpack_from
    for element in range(count):
        if place + 4 > end:
            raise GraphFileError("the graph is cut off")
        (size,) = unpack(content, place)
        place += 4
        if not size:
            continue
        if size % level_bytes or place + size > end:
            raise GraphFileError("the upper links of the graph are cut off")
        levels[element] = size // level_bytes
        blocks.append(content[place : place + size])
        place += size
    if place != end:
        raise GraphFileError("the graph is followed by bytes that do not belong to it")
    return levels, blocks
