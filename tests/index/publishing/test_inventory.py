from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragcli.errors import StoreError
from ragcli.index.folder import IndexFolder
from ragcli.records import Scope
from tests.index.corpus import publish, vector
from tests.index.crafted import reseal
from tests.index.records import document

V1 = "versions/v000001"
RECORDS = "segments/000001/records.sqlite"
GRAPH = "segments/000001/dense.hnsw"


@pytest.fixture
def folder(tmp_path: Path) -> IndexFolder:
    old = document("old.md", "one two three")
    publish(tmp_path / "index", [old, document("new.md", "four", supersedes=("old.md",))], size=5)
    return IndexFolder(tmp_path / "index")


def names(folder: IndexFolder) -> list[str]:
    root = folder.path / V1
    kept = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return sorted(name for name in kept if name != "manifest.json" and not name.rpartition("/")[2].startswith("."))


def test_any_file_that_is_cut_off_or_missing_is_told_on_opening(folder: IndexFolder) -> None:
    checked = [name for name in names(folder) if name != GRAPH]
    assert {"supersedes.json", RECORDS, "lexical/meta.json"} < set(checked)
    for name in checked:
        path = folder.path / V1 / name
        content = path.read_bytes()
        path.write_bytes(content + b"\0")
        with pytest.raises(StoreError, match=rf"{path.name} has {len(content) + 1} bytes, the manifest says"):
            folder.open()
        path.unlink()
        with pytest.raises(StoreError, match=rf"{path.name} is missing") as caught:
            folder.open()
        assert "rag versions" in caught.value.hint
        path.write_bytes(content)
    folder.open().close()


def test_a_version_without_its_graph_or_with_half_of_it_serves(folder: IndexFolder) -> None:
    path = folder.path / V1 / GRAPH
    path.write_bytes(path.read_bytes()[:100])
    for _ in range(2):
        with folder.open() as engine:
            hits, method = engine.dense(vector("four"), 1, engine.allowed(Scope(include_superseded=True)), "hnsw")
            assert (hits.hits[0].chunk_id, method) == ("new.md#1", "exact")
            assert "exact search serves instead" in engine.notices[0]
        path.unlink(missing_ok=True)


@pytest.mark.parametrize("name", [RECORDS, GRAPH, "supersedes.json", "lexical/meta.json"])
def test_a_file_that_leads_out_of_the_version_is_not_followed(folder: IndexFolder, tmp_path: Path, name: str) -> None:
    path, outside = folder.path / V1 / name, tmp_path / "outside"
    path.rename(outside)
    path.symlink_to(outside)
    with pytest.raises(StoreError, match="no regular file"):
        folder.open()


@pytest.mark.parametrize("name", ["segments", "segments/000001", "lexical"])
def test_a_folder_that_leads_out_of_the_version_is_not_followed(folder: IndexFolder, tmp_path: Path, name: str) -> None:
    path, outside = folder.path / V1 / name, tmp_path / "outside"
    path.rename(outside)
    path.symlink_to(outside)
    with pytest.raises(StoreError, match="is a link"):
        folder.open()


def test_a_foreign_link_is_neither_read_nor_passed_on(folder: IndexFolder, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    link = folder.path / V1 / "segments" / "000001" / "extra"
    link.symlink_to(secret)
    publish(folder.path, [document("old.md", "one two three"), document("new.md", "five")], size=5)
    assert (folder.current(), folder.verify()) == ("v000002", [])
    assert not list((folder.path / "versions" / "v000002").rglob("extra"))


def test_a_crafted_bm25_index_without_the_fields_is_a_store_error(folder: IndexFolder) -> None:
    import shutil

    import tantivy

    lexical = folder.path / V1 / "lexical"
    shutil.rmtree(lexical)
    lexical.mkdir()
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text")
    tantivy.Index(builder.build(), path=str(lexical))
    reseal(folder.path / V1)
    with pytest.raises(StoreError, match="other fields than those of ragcli"):
        folder.open()


@pytest.mark.parametrize(
    "change",
    [
        {"ef": 1 << 70},
        {"ef_per_hit": "x"},
        {"ef_per_hit": -1},
        {"candidates_per_hit": "160"},
        {"recall_at_10": "high"},
        {"graph_load_seconds": None},
        {"documents": 1 << 70},
    ],
)
def test_segments_that_cannot_be_are_refused(folder: IndexFolder, change: dict[str, object]) -> None:
    with folder.open() as engine:
        (info,) = engine.manifest.segments
        known = {name: getattr(info, name) for name in info.__slots__}
    reseal(folder.path / V1, segments=[known | change])
    with pytest.raises(StoreError, match="damaged"):
        folder.open()


def test_a_pointer_that_is_gone_names_the_version_to_go_back_to(folder: IndexFolder) -> None:
    (folder.path / "CURRENT").unlink()
    with pytest.raises(StoreError, match="CURRENT is missing") as caught:
        folder.open()
    assert caught.value.hint == "rag versions use v000001"
    folder.use("v000001")
    folder.open().close()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("offsets.npy", [0, 3, 2, 4]),
        ("offsets.npy", [1, 1, 3, 4]),
        ("offsets.npy", [0, 5, -1, 4]),
        ("numbers.npy", [1, 1, 4]),
        ("numbers.npy", [4, 3, 1]),
        ("numbers.npy", [-1, 3, 4]),
    ],
)
def test_places_out_of_order_are_refused(tmp_path: Path, name: str, values: list[int]) -> None:
    """Three documents of two, one and one chunk, whose chunks have the numbers 1 to 4."""
    publish(tmp_path, [document("a.md", "one two"), document("b.md", "three"), document("c.md", "four")], size=5)
    path = tmp_path / V1 / "segments" / "000001" / name
    assert np.load(path).tolist() == {"offsets.npy": [0, 2, 3, 4], "numbers.npy": [1, 3, 4]}[name]
    np.save(path, np.asarray(values, dtype="<i8"))
    reseal(tmp_path / V1)
    with pytest.raises(StoreError, match="out of order"):
        IndexFolder(tmp_path).open()
