"""Checks a version whole: every hash, and that records, vectors, graph and BM25 speak of the same chunks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragcli.errors import StoreError
from ragcli.index.dense.graph_file import GraphFileError
from ragcli.index.dense.graph_probe import graph_marker, graph_works
from ragcli.index.dense.vectors import Graph
from ragcli.index.engine import LEXICAL
from ragcli.index.lexical.bm25 import LexicalReader
from ragcli.index.manifest import NAME, FileInfo, Manifest, hash_file, read_manifest
from ragcli.index.segments.segment import GRAPH
from ragcli.index.segments.view import View
from ragcli.regular_files import kind_of


def faults(folder: Path) -> list[str]:
    """Everything wrong with the version in ``folder``, a line each; empty when it is sound."""
    try:
        manifest = read_manifest(folder)
    except StoreError as error:
        return [error.message]
    found = list(_file_faults(folder, manifest))
    try:
        found += _content_faults(folder, manifest)
    except StoreError as error:
        found.append(error.message)
    return found


def _file_faults(folder: Path, manifest: Manifest) -> Iterator[str]:
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if kind_of(path) == "a file"}
    for name in sorted(set(manifest.files) - there):
        yield f"{name} is missing"
    for name in sorted(there - set(manifest.files) - {NAME}):
        if not name.rpartition("/")[2].startswith(".tantivy-"):
            yield f"{name} is not part of the version"
    for name in sorted(set(manifest.files) & there):
        wanted = manifest.files[name]
        try:
            found = hash_file(folder / name)
        except (OSError, StoreError) as error:
            yield f"{name} cannot be read: {error}"
            continue
        if found != wanted:
            yield f"{name}: {_shown(found)}, the manifest says {_shown(wanted)}"


def _shown(info: FileInfo) -> str:
    return f"{info.bytes} bytes with sha256 {info.sha256[:12]}…"


def _content_faults(folder: Path, manifest: Manifest) -> Iterator[str]:
    view = View.of(folder, manifest)
    try:
        yield from _count_faults(view, manifest)
        yield from _vector_faults(view, manifest)
        yield from _lexical_faults(view, folder)
    finally:
        view.close()


def _count_faults(view: View, manifest: Manifest) -> Iterator[str]:
    ids = [doc_id for _, _, doc_id, _ in view.documents()]
    if len(set(ids)) != len(ids):
        yield f"{len(ids) - len(set(ids))} documents are there twice"
    if len(ids) != manifest.documents:
        yield f"{len(ids)} documents, the manifest says {manifest.documents}"
    for info, segment in zip(view.infos, view.segments, strict=True):
        records = segment.record_count()
        if records != segment.chunk_count:
            yield f"segment {info.name}: {records} chunk records for {segment.chunk_count} vectors"


def _vector_faults(view: View, manifest: Manifest) -> Iterator[str]:
    import numpy as np

    for info, segment in zip(view.infos, view.segments, strict=True):
        if segment.chunk_count and segment.embeddings.shape[1] != manifest.embedder.dimension:
            yield f"segment {info.name}: vectors of {segment.embeddings.shape[1]} dimensions"
        for start in range(0, segment.chunk_count, 65_536):
            if not np.isfinite(segment.embeddings[start : start + 65_536]).all():
                yield f"segment {info.name}: vectors that are no numbers"
                break
        if info.recall_at_10 is None:
            continue  # built without a graph
        if not graph_works(graph_marker(view.folder.parents[1])):
            yield f"segment {info.name}: the graph cannot be checked, because hnswlib does not run on this machine"
            continue
        try:
            graph = Graph.load(segment.folder / GRAPH, segment.embeddings, manifest.hnsw_m)
        except (GraphFileError, StoreError) as error:
            yield f"segment {info.name}: {error}"
            continue
        if not graph.holds(segment.embeddings):
            yield f"segment {info.name}: the graph was made from other vectors"


def _lexical_faults(view: View, folder: Path) -> Iterator[str]:
    import numpy as np

    expected: list[int] = []
    for segment, living in zip(view.segments, view.living, strict=True):
        numbers = segment.numbers_of_rows(None)
        keep = slice(None) if living is None else np.repeat(living, segment.sizes)
        expected += numbers[keep].tolist()
    found = LexicalReader(folder / LEXICAL).numbers()
    if found != sorted(expected):
        missing, extra = set(expected) - set(found), set(found) - set(expected)
        yield f"BM25 lacks {len(missing)} chunks and has {len(extra)} that are not in the version"
