"""One bit per value: a first pass over many vectors that reads a thirty-second of their bytes.

A vector's code is the signs of its values after the segment's mean is taken off. Rows whose codes differ from the
question's in few bits are candidates; their scores are then computed from the float rows. How many candidates it takes
is measured when the segment is built. (Binary quantisation with rescoring, as in Yamada et al., 2021.)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.errors import StoreError
from ragcli.index.segments.segment import CENTRE, CODES, map_array

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MIN_ROWS = 100_000
"""Smaller segments are scanned whole in about ten milliseconds and have no codes."""

_BLOCK = 32_768
_SAMPLE = 20_000
_FACTORS = (10, 20, 40, 80, 160)
_LEAST_HITS = 100
_FIRST_TEN = 0.99
_OUTER = 0.01
FAR = 65_535
"""The distance of a row that may not be chosen."""


class Codes:
    """The codes of a segment: one row per 64 values, one column per vector, mapped."""

    def __init__(self, words: NDArray[np.uint64], centre: NDArray[np.float32]) -> None:
        self._words = words
        self._centre = centre

    @classmethod
    def build(cls, embeddings: NDArray[np.float32]) -> Codes:
        """The codes of every row."""
        import numpy as np

        count, dimension = embeddings.shape
        centre = np.asarray(embeddings[:: max(1, count // _SAMPLE)]).mean(axis=0, dtype=np.float64).astype(np.float32)
        words = np.empty((-(-dimension // 64), count), dtype="<u8")
        for start in range(0, count, _BLOCK):
            words[:, start : start + _BLOCK] = _signs(embeddings[start : start + _BLOCK], centre).T
        return cls(words, centre)

    def save(self, folder: Path) -> None:
        """Write both arrays into a segment folder."""
        import numpy as np

        np.save(folder / CODES, self._words, allow_pickle=False)
        np.save(folder / CENTRE, self._centre, allow_pickle=False)

    @classmethod
    def open(cls, folder: Path, embeddings: NDArray[np.float32]) -> Codes | None:
        """Map the codes of a segment, None when it has none. Raises StoreError when they do not fit its rows."""

        if not (folder / CODES).exists():
            return None
        words = map_array(folder / CODES, "<u8", 2)
        centre = map_array(folder / CENTRE, "<f4", 1)
        count, dimension = embeddings.shape
        if words.shape != (-(-dimension // 64), count) or centre.shape != (dimension,):
            raise StoreError(f"{folder / CODES} does not fit the segment", hint="rag index --rebuild")
        return cls(words, centre)

    def distances(self, query: NDArray[np.float32], allowed: NDArray[np.bool_] | None = None) -> NDArray[np.uint16]:
        """Bits that differ between the question's code and that of every row; FAR where ``allowed`` is false."""
        import numpy as np

        code = _signs(query[None, :], self._centre)[0]
        count = self._words.shape[1]
        distances = np.zeros(count, dtype=np.uint16)
        differing = np.empty(_BLOCK, dtype="<u8")
        bits = np.empty(_BLOCK, dtype=np.uint8)
        for start in range(0, count, _BLOCK):
            stop = min(start + _BLOCK, count)
            total = distances[start:stop]
            for word, own in zip(self._words, code, strict=True):
                np.bitwise_xor(word[start:stop], own, out=differing[: stop - start])
                np.bitwise_count(differing[: stop - start], out=bits[: stop - start])
                total += bits[: stop - start]
        if allowed is not None:
            distances |= allowed.astype(np.uint16) - np.uint16(1)  # 1 to 0, 0 to FAR: faster than a choice
        return distances

    def needed_factor(
        self, embeddings: NDArray[np.float32], queries: NDArray[np.float32], truth: NDArray[np.int64], recall: float
    ) -> int:
        """The least number of candidates per hit at which ``recall`` of all the true best are among them.

        ``truth`` holds the rows of the true best hits of each query, best first. Of the ten best 99 % must be found:
        where they are not even with the most candidates, 0 says that codes do not serve these vectors.
        """
        for factor in _FACTORS:
            wanted = candidate_count(truth.shape[1], factor)
            near = [set(nearest(self.distances(query), wanted).rows.tolist()) for query in queries]
            first = _share(truth[:, :10], near)
            if first >= _FIRST_TEN and _share(truth, near) >= recall:
                return factor
        return _FACTORS[-1] if first >= _FIRST_TEN else 0


@dataclass(frozen=True, slots=True)
class Nearest:
    """The ``rows`` nearest by their codes, ascending, and the distance that ``half`` of those wanted lie below."""

    rows: NDArray[np.int64]
    half: int

    def hold(self, hits: NDArray[np.uint16]) -> bool:
        """Whether the best of these rows may pass for the best of all, judged by the distances of the best.

        They may when hardly any of them lies in the farther half: true hits thin out with the distance of the code, so
        beyond it there should be fewer still.
        """
        return bool((hits >= self.half).sum() <= _OUTER * len(hits))


def nearest(distances: NDArray[np.uint16], wanted: int) -> Nearest:
    """At least ``wanted`` rows (all that are not FAR when there are fewer).

    Rows at the same distance are taken or left together, so the choice does not depend on their order.
    """
    import numpy as np

    last = min(wanted, len(distances)) - 1
    border = int(np.partition(distances, last)[last])
    if border == FAR:
        return Nearest(np.flatnonzero(distances < FAR), FAR)
    rows = np.flatnonzero(distances <= border)
    return Nearest(rows, int(np.partition(distances[rows], last // 2)[last // 2]))


def _share(truth: NDArray[np.int64], found: list[set[int]]) -> float:
    """The share of the true hits that were found."""
    return sum(len(set(best) & near) for best, near in zip(truth.tolist(), found, strict=True)) / truth.size


def candidate_count(depth: int, factor: int) -> int:
    """How many candidates are rescored for ``depth`` hits; for few hits as many as for a hundred."""
    return max(_LEAST_HITS, depth) * factor


def _signs(vectors: NDArray[np.float32], centre: NDArray[np.float32]) -> NDArray[np.uint64]:
    """A row of words per vector; missing values at the end count as negative."""
    import numpy as np

    bits = np.packbits(vectors > centre, axis=1)
    padded = np.zeros((len(bits), -(-vectors.shape[1] // 64) * 8), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view("<u8")
