from __future__ import annotations

import gc
import json
import shutil
import weakref
from collections.abc import Sequence
from pathlib import Path

import pytest

from ragcli.errors import ConfigError, StoreError
from ragcli.index.folder import IndexFolder
from ragcli.index.lexical.writing import LexicalChunk, LexicalWriter
from ragcli.index.publishing.change import SegmentStep, plan
from ragcli.records import Scope
from tests.index.corpus import publish
from tests.index.crafted import reseal
from tests.index.records import document

V1 = "versions/v000001"


@pytest.fixture
def folder(tmp_path: Path) -> IndexFolder:
    publish(tmp_path, [document("a.md", "one two three"), document("b.md", "four")], size=5)
    return IndexFolder(tmp_path)


@pytest.mark.parametrize("version", [None, "v000001"])
def test_a_closed_engine_is_held_by_nothing(folder: IndexFolder, version: str | None) -> None:
    """Its arrays are mapped until it is gone: what held it in a circle would keep the files, and a disk, in use."""
    publish(folder.path, [document("a.md", "one two three")], size=5)
    gc.collect()
    gc.disable()
    try:
        engine = folder.open(version)
        engine.allowed(Scope())
        seen = weakref.ref(engine)
        engine.close()
        del engine
        assert seen() is None
    finally:
        gc.enable()


def test_list_shows_what_the_manifest_says(folder: IndexFolder) -> None:
    publish(folder.path, [document("a.md", "one two three")], size=5)
    first, second = folder.versions()
    assert (first.version, first.documents, first.chunks, first.current) == ("v000001", 2, 4, False)
    assert (second.version, second.documents, second.chunks, second.current) == ("v000002", 1, 3, True)
    assert second.embedding_model == "hash"
    assert second.bytes == sum(
        path.stat().st_size
        for path in (folder.path / "versions" / "v000002").rglob("*")
        if path.is_file() and not path.name.startswith(".tantivy-")
    )


@pytest.mark.parametrize("name", ["v000009", "v9", "../x", "", "v000001/../v000001"])
def test_unknown_version_is_told(folder: IndexFolder, name: str) -> None:
    for action in (folder.use, folder.verify, folder.open):
        if name:
            with pytest.raises(StoreError if name == "v000009" else ConfigError):
                action(name)
    assert folder.current() == "v000001"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("segments/000001/records.sqlite", "records.sqlite"),
        ("segments/000001/embeddings.npy", "embeddings.npy"),
        ("segments/000001/offsets.npy", "offsets.npy"),
        ("segments/000001/numbers.npy", "numbers.npy"),
        ("segments/000001/dense.hnsw", "dense.hnsw"),
        ("lexical/meta.json", "meta.json"),
    ],
)
def test_verify_names_a_file_with_one_changed_byte(folder: IndexFolder, name: str, expected: str) -> None:
    assert folder.verify() == []
    path = folder.path / V1 / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))
    assert any(expected in fault for fault in folder.verify())


def test_verify_names_missing_and_foreign_files(folder: IndexFolder) -> None:
    (folder.path / V1 / "segments" / "000001" / "dense.hnsw").unlink()
    (folder.path / V1 / "notes.txt").write_text("x")
    faults = folder.verify()
    assert "segments/000001/dense.hnsw is missing" in faults
    assert "notes.txt is not part of the version" in faults


def test_verify_sees_parts_that_disagree_under_right_hashes(folder: IndexFolder) -> None:
    """A graph of other vectors and a BM25 index of other chunks, each with its true hash in the manifest."""
    import hashlib

    publish(folder.path / "other", [document("a.md", "uno dos tre!"), document("b.md", "cuatro")], size=5)
    root, other = folder.path / V1, folder.path / "other" / V1
    manifest = json.loads((root / "manifest.json").read_text())
    data = (other / "segments" / "000001" / "dense.hnsw").read_bytes()
    (root / "segments" / "000001" / "dense.hnsw").write_bytes(data)
    manifest["files"]["segments/000001/dense.hnsw"] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (root / "manifest.json").write_text(json.dumps(manifest))
    assert any("graph" in fault for fault in folder.verify())
    (root / "manifest.json").write_text(json.dumps(manifest | {"documents": 3}))
    assert ["3 documents and 4 chunks, but 2 and 4 in its segments" in fault for fault in folder.verify()] == [True]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("format", 99, "format 99, this ragcli reads format 1"),
        ("format", None, "format None"),
        ("analyser", "0", "made with analyser '0', this ragcli has"),
        ("documents", [], "damaged"),
        ("segments", [{"name": "../../x", "documents": 1, "chunks": 1}], "no name of a segment"),
        ("segments", [{"name": "000001", "documents": -1, "chunks": 1}], "counts"),
        ("segments", [{"name": "000001", "documents": 1, "chunks": 7}], "but 1 and 7 in its segments"),
        ("files", {"/etc/passwd": {"bytes": 1, "sha256": ""}}, "no path inside the version"),
        ("embedder", {"model": "m", "revision": "", "dimension": 0, "window": 1}, "dimension 0"),
    ],
)
def test_manifests_that_cannot_be_are_refused(folder: IndexFolder, key: str, value: object, message: str) -> None:
    path = folder.path / V1 / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    with pytest.raises(StoreError, match=message) as caught:
        folder.open()
    assert caught.value.hint


def test_a_newer_format_is_not_blamed_on_the_index(folder: IndexFolder) -> None:
    path = folder.path / V1 / "manifest.json"
    for found, hint in ((2, "a newer ragcli made it: upgrade, or rag index --rebuild"), (0, "rag index --rebuild")):
        path.write_text(json.dumps(json.loads(path.read_text()) | {"format": found}))
        with pytest.raises(StoreError) as caught:
            folder.open()
        assert (caught.value.hint, caught.value.category) == (hint, "index_incompatible")


def test_a_pointer_to_a_missing_version_names_one_that_is_there(folder: IndexFolder) -> None:
    (folder.path / "CURRENT").write_text("v000009\n")
    with pytest.raises(StoreError, match=r"v000009 is not in .* \(there: v000001\)") as caught:
        folder.open()
    assert caught.value.hint == "rag versions use v000001"


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": 1}'])
def test_manifest_that_is_no_manifest_is_refused(folder: IndexFolder, text: str) -> None:
    (folder.path / V1 / "manifest.json").write_text(text)
    with pytest.raises(StoreError):
        folder.open()
    assert folder.versions()[0].damaged
    assert folder.verify()


def test_version_without_manifest_is_told(folder: IndexFolder) -> None:
    (folder.path / V1 / "manifest.json").unlink()
    with pytest.raises(StoreError, match=r"manifest\.json is missing"):
        folder.open()


def test_arrays_of_objects_are_refused_unread(folder: IndexFolder) -> None:
    import numpy as np

    np.save(folder.path / V1 / "segments" / "000001" / "offsets.npy", np.array([{}], dtype=object), allow_pickle=True)
    reseal(folder.path / V1)
    with pytest.raises(StoreError, match=r"offsets\.npy cannot be read"):
        folder.open()


@pytest.mark.parametrize(
    ("living", "total", "new", "expected"),
    [
        ([], [], 5, [SegmentStep((), False, True)]),
        ([100_000], [100_000], 1_000, [SegmentStep((0,), True), SegmentStep((), False, True)]),
        ([100_000, 1_000], [100_000, 1_000], 1_000, [SegmentStep((0,), True), SegmentStep((1,), False, True)]),
        ([900], [900], 3, [SegmentStep((0,), False, True)]),
        ([100_000], [100_000], 0, [SegmentStep((0,), True)]),
        ([40_000], [100_000], 0, [SegmentStep((0,), False)]),
        ([0, 50_000], [10, 50_000], 0, [SegmentStep((1,), True)]),
        (
            [9_000, 3_000, 2_000],
            [9_000, 3_000, 2_000],
            2_000,
            [SegmentStep((0,), True), SegmentStep((1, 2), False, True)],
        ),
    ],
)
def test_plan(living: list[int], total: list[int], new: int, expected: list[SegmentStep]) -> None:
    assert plan(living, total, new) == expected


def test_many_small_publishes_leave_few_segments_and_little_rewriting() -> None:
    sizes, written = [100_000], 0
    for _ in range(1_000):
        steps = plan(sizes, sizes, 200)
        last = 200 + sum(sizes[place] for place in steps[-1].sources)
        written += last
        sizes = [sizes[step.sources[0]] for step in steps[:-1]] + [last]
    assert sum(sizes) == 300_000
    assert len(sizes) <= 12
    assert written < 20 * 200_000


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (range(90), "BM25 holds 90 chunks, the manifest says"),
        ([7, 77, 777, 7_777], "BM25 names chunks that are not in the version"),
        ([0, 1, 2, 3], "BM25 names chunks that are not in the version"),
        ([1, 2, 3, 1 << 63], "a number or a score that cannot be"),
    ],
)
def test_bm25_index_of_another_version_is_told_not_followed(
    folder: IndexFolder, numbers: Sequence[int], message: str
) -> None:
    lexical = folder.path / V1 / "lexical"
    shutil.rmtree(lexical)
    writer = LexicalWriter(lexical, len(numbers))
    for number in numbers:
        writer.add(LexicalChunk(number, number, "four words", "", ""))
    writer.finish()
    reseal(folder.path / V1)
    with pytest.raises(StoreError, match=message), folder.open() as engine:
        engine.lexical("four words", 90, engine.allowed(Scope()))
    assert folder.verify()
