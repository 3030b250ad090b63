from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragcli.index.dense import graph_probe
from ragcli.index.dense.graph_probe import graph_works
from ragcli.index.folder import IndexFolder
from ragcli.records import Scope
from tests.index.corpus import publish, vector
from tests.index.records import document

DIES = "import os, signal\nos.kill(os.getpid(), signal.SIGILL)"


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    graph_works.cache_clear()
    yield
    graph_works.cache_clear()


def test_outcome_is_kept_for_this_machine_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker = tmp_path / "new" / "marker.json"
    assert graph_works(marker)
    assert json.loads(marker.read_text())["works"] is True
    graph_works.cache_clear()
    monkeypatch.setattr(graph_probe, "_TRY", DIES)
    assert graph_works(marker)  # remembered, not tried again
    graph_works.cache_clear()
    monkeypatch.setattr(graph_probe, "_processor_flags", lambda: "flags: another processor")
    assert not graph_works(marker)


def test_without_hnswlib_everything_works_by_scanning_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_probe, "_TRY", DIES)
    result = publish(tmp_path, [document(f"d{n}.md", f"text {n}") for n in range(30)])
    assert result.recall_at_10 is None
    assert "hnswlib does not run on this machine" in result.notices[0]
    assert not list(tmp_path.rglob("*.hnsw"))
    assert IndexFolder(tmp_path).verify() == []
    with IndexFolder(tmp_path).open() as engine:
        ranking, used = engine.dense(vector("text 3"), 1, engine.allowed(Scope()), "hnsw")
        assert (used, ranking.hits[0].chunk_id) == ("exact", "d3.md#1")


def test_folder_from_a_machine_with_hnswlib_serves_on_one_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, [document(f"d{n}.md", f"text {n}") for n in range(30)])
    graph_works.cache_clear()
    monkeypatch.setattr(graph_probe, "_TRY", DIES)
    monkeypatch.setattr(graph_probe, "_processor_flags", lambda: "flags: another processor")
    with IndexFolder(tmp_path).open() as engine:
        ranking, used = engine.dense(vector("text 3"), 1, engine.allowed(Scope()), "hnsw")
        assert (used, ranking.hits[0].chunk_id) == ("exact", "d3.md#1")
        assert "hnswlib does not run on this machine" in engine.notices[0]
