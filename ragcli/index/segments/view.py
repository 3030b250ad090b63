"""The segments of one version seen as one index: numbers, ids and rows, living and dead."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.errors import StoreError
from ragcli.index.manifest import NAME, Manifest, SegmentInfo
from ragcli.index.segments.segment import (
    CENTRE,
    CODES,
    EMBEDDINGS,
    GRAPH,
    NUMBERS,
    OFFSETS,
    RECORDS,
    Segment,
    map_array,
)
from ragcli.index.segments.supersedes import Reference, StoredPlace, resolve

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


SEGMENTS = "segments"
LEXICAL = "lexical"
DEAD = "dead"
_HINT = "rag versions verify; rag versions use another version, or rag index --rebuild"


class View:
    """Every segment of a version, opened, with its dead documents."""

    def __init__(self, folder: Path, infos: Sequence[SegmentInfo]) -> None:
        """Map every file. Raises StoreError when one is missing or damaged."""
        self.folder = folder
        self.infos = tuple(infos)
        self.segments = [Segment(folder / SEGMENTS / info.name) for info in infos]
        self.living = [_living(folder, info, segment) for info, segment in zip(infos, self.segments, strict=True)]
        for info, segment in zip(infos, self.segments, strict=True):
            if (info.documents, info.chunks) != (segment.document_count, segment.chunk_count):
                raise StoreError(
                    f"{segment.folder} holds {segment.document_count} documents and {segment.chunk_count} chunks, "
                    f"the manifest says {info.documents} and {info.chunks}",
                    hint=_HINT,
                )
        self._check_numbers()

    def _check_numbers(self) -> None:
        """Numbers rise from one segment to the next, or a chunk could not be told by its own."""
        last = -1
        for segment in self.segments:
            if segment.document_count:
                if int(segment.numbers[0]) <= last:
                    raise StoreError(f"{segment.folder}: its numbers are those of the segment before", hint=_HINT)
                last = int(segment.numbers[-1]) + int(segment.sizes[-1]) - 1

    @classmethod
    def of(cls, folder: Path, manifest: Manifest) -> View:
        """The view of a version folder. Raises StoreError when a file of it is missing, a link or cut off."""
        check_files(folder, manifest)
        view = cls(folder, manifest.segments)
        for segment in view.segments:
            if segment.chunk_count and segment.embeddings.shape[1] != manifest.embedder.dimension:
                view.close()
                raise StoreError(
                    f"{segment.folder} holds vectors of {segment.embeddings.shape[1]} dimensions, "
                    f"the manifest says {manifest.embedder.dimension}",
                    hint=_HINT,
                )
        return view

    def close(self) -> None:
        """Release the databases."""
        for segment in self.segments:
            segment.close()

    def place(self, doc_id: str) -> StoredPlace:
        """Segment and row of the living document. Raises KeyError when there is none."""
        for number in reversed(range(len(self.segments))):
            row = self.segments[number].document_row(doc_id)
            if row is not None and self.alive(number, row):
                return number, row
        raise KeyError(doc_id)

    def alive(self, segment: int, row: int) -> bool:
        """Whether the document there is still part of the version."""
        living = self.living[segment]
        return living is None or bool(living[row])

    def documents(self) -> Iterator[tuple[int, int, str, str]]:
        """(segment, row, doc_id, entry_key) of every living document."""
        for number, segment in enumerate(self.segments):
            for row, doc_id, entry_key in segment.entries():
                if self.alive(number, row):
                    yield number, row, doc_id, entry_key

    def split(self, numbers: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
        """Permanent numbers by segment: (segment, their places in ``numbers``, their chunk rows)."""
        import numpy as np

        starts = np.asarray([int(segment.numbers[0]) if segment.document_count else -1 for segment in self.segments])
        filled = np.flatnonzero(starts >= 0)
        if len(numbers) and (not len(filled) or numbers.min() < starts[filled[0]]):
            raise self._foreign()
        owners = filled[np.searchsorted(starts[filled], numbers, side="right") - 1]
        for number in np.flatnonzero(np.bincount(owners)):  # np.unique would load numpy.ma
            places, segment = np.flatnonzero(owners == number), self.segments[int(number)]
            rows = segment.rows_of_numbers(numbers[places])
            if rows.min() < 0 or rows.max() >= segment.chunk_count:
                raise self._foreign()
            yield int(number), places, rows

    def _foreign(self) -> StoreError:
        return StoreError(f"{self.folder}: BM25 names chunks that are not in the version", hint=_HINT)

    def find_references(self) -> list[Reference]:
        """What the documents say they supersede; costs nothing when none says so."""
        naming = []
        for number, segment in enumerate(self.segments):
            for name in segment.values("supersedes"):
                for row in segment.rows_with("supersedes", name):
                    if self.alive(number, row):
                        head = segment.head(row)
                        naming.append(((number, row), head.doc_id, name, head.metadata.effective_date))
        if not naming:
            return []
        return resolve(naming, {doc_id: (number, row) for number, row, doc_id, _ in self.documents()})


def write_dead(folder: Path, name: str, rows: NDArray[np.int64]) -> None:
    """Keep the dead document rows of a segment beside a version; nothing is written when there are none."""
    import numpy as np

    if not len(rows):
        return
    (folder / DEAD).mkdir(exist_ok=True)
    np.save(folder / DEAD / f"{name}.npy", np.sort(rows).astype("<i4"), allow_pickle=False)


def read_dead(folder: Path, info: SegmentInfo) -> NDArray[np.int64]:
    """The dead document rows of a segment, ascending."""
    import numpy as np

    if not info.dead_documents:
        return np.zeros(0, dtype=np.int64)
    path = folder / DEAD / f"{info.name}.npy"
    rows: NDArray[np.int64] = map_array(path, "<i4", 1).astype(np.int64)
    if len(rows) != info.dead_documents or rows.min() < 0 or rows.max() >= info.documents:
        raise StoreError(f"{path} does not fit its manifest", hint="rag index --rebuild")
    return rows


def _living(folder: Path, info: SegmentInfo, segment: Segment) -> NDArray[np.bool_] | None:
    import numpy as np

    dead = read_dead(folder, info)
    if not len(dead):
        return None
    mask = np.ones(segment.document_count, dtype=bool)
    mask[dead] = False
    return mask


# Whether the files of a version are there: each in its place, no link to elsewhere, and of its size.
#
# Asked on every opening, because the rest relies on it: what is mapped must not be cut off, and what is read must lie
# inside the version. It costs one look at each file, however large they are; hashes are for ``rag versions verify``.

_SPARE = frozenset({GRAPH, CODES, CENTRE})
"""Made from the vectors, and checked when they are first used: without them a search scans and says so."""


def check_files(folder: Path, manifest: Manifest) -> None:
    """Raise StoreError for the first file of ``manifest`` that is missing, a link, or of another size.

    A graph or codes that are missing or damaged are left to whoever uses them. Files that a version must have and the
    manifest does not list count as missing.
    """
    for name in _needed(manifest):
        if name not in manifest.files:
            raise StoreError(f"{folder / NAME} does not list {name}", hint=_HINT)
    for parent in sorted({Path(name).parent for name in manifest.files}):
        for part in (parent, *parent.parents):
            if (folder / part).is_symlink() and part != Path():
                raise StoreError(f"{folder / part} is a link; a version holds its own files", hint=_HINT)
    for name in sorted(manifest.files):
        _check_file(folder / name, manifest.files[name].bytes)


def _needed(manifest: Manifest) -> Iterator[str]:
    yield f"{LEXICAL}/meta.json"
    for info in manifest.segments:
        yield from (f"{SEGMENTS}/{info.name}/{name}" for name in (RECORDS, OFFSETS, NUMBERS, EMBEDDINGS))
        if info.dead_documents:
            yield f"{DEAD}/{info.name}.npy"


def _check_file(path: Path, size: int) -> None:
    try:
        status = path.lstat()
    except FileNotFoundError as error:
        if path.name in _SPARE:
            return
        raise StoreError(f"{path} is missing", hint=_HINT) from error
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror or error}", hint=_HINT) from error
    if not stat.S_ISREG(status.st_mode):
        raise StoreError(f"{path} is no regular file; a version holds its own files", hint=_HINT)
    if status.st_size != size and path.name not in _SPARE:
        raise StoreError(f"{path} has {status.st_size} bytes, the manifest says {size}", hint=_HINT)
