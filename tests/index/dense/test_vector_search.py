from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ragcli.config import Config
from ragcli.errors import ConfigError
from ragcli.index.dense import costs as dense_costs
from ragcli.index.dense import graph_build
from ragcli.index.dense.codes import Codes, Nearest
from ragcli.index.dense.costs import Costs
from ragcli.index.folder import IndexFolder
from ragcli.records import Chunk, Document, EmbedderInfo, Filter, Scope
from tests.index.corpus import publish, stage, vector
from tests.index.records import document

ROWS = 12_000
GRAPH = "versions/v000001/segments/000001/dense.hnsw"


def test_graph_that_cannot_be_used_is_told_and_exact_search_serves(tmp_path: Path) -> None:
    publish(tmp_path, [document(f"d{n}.md", f"text {n}") for n in range(40)])
    path = tmp_path / GRAPH
    path.write_bytes(path.read_bytes()[:-4])
    with IndexFolder(tmp_path).open() as engine:
        allowed = engine.allowed(Scope())
        ranking, used = engine.dense(vector("text 7"), 3, allowed, "hnsw")
        assert (used, ranking.hits[0].chunk_id) == ("exact", "d7.md#1")
        assert len(engine.notices) == 1
        assert "rag index --rebuild" in engine.notices[0]
        engine.dense(vector("text 8"), 3, allowed, "hnsw")
        assert len(engine.notices) == 1
    assert "dense.hnsw" in IndexFolder(tmp_path).verify()[0]


def test_missing_graph_serves_too(tmp_path: Path) -> None:
    publish(tmp_path, [document("a.md", "text")])
    (tmp_path / GRAPH).unlink()
    with IndexFolder(tmp_path).open() as engine:
        assert engine.dense(vector("text"), 3, engine.allowed(Scope()), "hnsw")[1] == "exact"


def test_graph_is_loaded_once_scans_have_cost_as_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path, [document(f"d{n}.md", f"text {n}") for n in range(40)])
    with IndexFolder(tmp_path).open() as engine:
        allowed = engine.allowed(Scope())
        monkeypatch.setattr(dense_costs, "_CANDIDATE", 0.0)
        engine._vectors._spent[0] = 0.0
        first = engine.dense(vector("q"), 3, allowed)[1]
        engine._vectors._spent[0] = 3600.0
        then = engine.dense(vector("q"), 3, allowed)[1]
    assert (first, then) == ("exact", "hnsw")


def test_unknown_method_is_an_error(tmp_path: Path) -> None:
    publish(tmp_path, [document("a.md", "text")])
    with IndexFolder(tmp_path).open() as engine, pytest.raises(ConfigError, match="dense method 'magic'"):
        engine.dense(vector("text"), 3, engine.allowed(Scope()), "magic")


def _rows(count: int) -> np.ndarray:
    """Vectors in two hundred clusters, as those of texts are."""
    generator = np.random.default_rng(1)
    centres = generator.normal(size=(200, 64))
    rows = centres[generator.integers(0, 200, count)] + 0.4 * generator.normal(size=(count, 64))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve thousand chunks in 120 documents, enough for codes."""
    path = tmp_path_factory.mktemp("large")
    rows = _rows(ROWS)

    def vectors(chunks: list[Chunk]) -> np.ndarray:
        return rows[[int(chunk.text) for chunk in chunks]]

    documents: list[Document] = []
    for n in range(120):
        text = "".join(f"{n * 100 + place:08d}" for place in range(100))
        documents.append(document(f"d{n:03}.md", text, language="de" if n % 10 == 3 else "en"))
    info = EmbedderInfo("rows", "1", 64, 256)
    with pytest.MonkeyPatch.context() as patched, IndexFolder(path).writer() as writer:
        patched.setattr(graph_build, "MIN_ROWS", ROWS)
        stage(writer, documents, size=8)
        writer.publish(embedder=info, vectors=vectors, config=Config())
    return path


@pytest.mark.parametrize("language", [None, "de", "en"])
@pytest.mark.parametrize("method", ["exact", "quantised", "hnsw", "auto"])
def test_every_way_finds_the_same(large: Path, method: str, language: str | None) -> None:
    rows = _rows(ROWS)
    names = [f"d{n // 100:03}.md#{n % 100 + 1}" for n in range(len(rows))]
    with IndexFolder(large).open() as engine:
        assert engine.manifest.segments[0].candidates_per_hit > 0
        scope = Scope(filters=(Filter("lang", "=", language),) if language else ())
        allowed = engine.allowed(scope)
        keep = np.array([language in (None, "de" if n // 100 % 10 == 3 else "en") for n in range(len(rows))])
        assert allowed.count == keep.sum()
        found = 0
        for n in range(0, 12_000, 600):
            query = rows[n] + 0.1 * rows[n - 1]
            scores = np.where(keep, rows @ query, -9)
            truth = {names[row] for row in np.argsort(-scores)[:10]}
            hits = engine.dense(query, 10, allowed, method)[0].hits
            assert len(hits) == 10
            found += len(truth & {hit.chunk_id for hit in hits})
    assert found == 200 if method == "exact" else found >= 196


@pytest.mark.parametrize("method", ["quantised", "hnsw", "auto"])
def test_deep_hits_beyond_the_nearest_cluster_are_found(large: Path, method: str) -> None:
    """Sixty of a hundred hits are of the question's cluster: the codes of the others hardly tell them from the rest."""
    rows = _rows(ROWS)
    keep = np.array([n // 100 % 10 != 3 for n in range(len(rows))])
    with IndexFolder(large).open() as engine:
        allowed = engine.allowed(Scope(filters=(Filter("lang", "=", "en"),)))
        found = 0
        for n in range(0, 12_000, 600):
            scores = np.where(keep, rows @ rows[n], -9)
            truth = {f"d{row // 100:03}.md#{row % 100 + 1}" for row in np.argsort(-scores)[:100].tolist()}
            hits = engine.dense(rows[n], 100, allowed, method)[0].hits
            found += len(truth & {hit.chunk_id for hit in hits})
    assert found >= 0.99 * 2_000


def test_a_filter_that_keeps_most_is_served_by_the_graph(large: Path) -> None:
    with IndexFolder(large).open() as engine:
        most = engine.allowed(Scope(filters=(Filter("lang", "=", "en"),)))
        ranking, used = engine.dense(_rows(1)[0], 50, most, "hnsw")
        assert used == "hnsw"
        assert len(ranking.hits) == 50
        assert all(int(hit.chunk_id[1:4]) % 10 != 3 for hit in ranking.hits)
        assert ranking.hits == engine.dense(_rows(1)[0], 50, most, "exact")[0].hits


def test_a_filter_that_hides_the_nearest_makes_the_graph_look_further(tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    rows = 0.3 * generator.normal(size=(3_000, 64))
    rows[:900] += 3 * generator.normal(size=64)
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    documents = [
        document(
            f"d{n:03}.md",
            "".join(f"{n * 100 + place:08d}" for place in range(100)),
            language="de" if n < 9 else "en",
        )
        for n in range(30)
    ]
    with IndexFolder(tmp_path).writer() as writer:
        stage(writer, documents, size=8)
        writer.publish(
            embedder=EmbedderInfo("rows", "1", 64, 256),
            vectors=lambda chunks: rows[[int(chunk.text) for chunk in chunks]],
            config=Config(),
        )
    with IndexFolder(tmp_path).open() as engine:
        allowed = engine.allowed(Scope(filters=(Filter("lang", "=", "en"),)))
        for depth in (10, 50, 100, 2_100):
            hits = engine.dense(rows[5], depth, allowed, "hnsw")[0].hits
            assert len(hits) == depth
            exact = engine.dense(rows[5], depth, allowed, "exact")[0].hits
            assert len({hit.chunk_id for hit in hits} & {hit.chunk_id for hit in exact}) >= 0.95 * depth


def test_names_are_looked_up_by_two_threads_at_once(large: Path) -> None:
    """Python 3.12 and later gave one prepared statement to both."""
    with IndexFolder(large).open() as engine:
        segment = engine.view.segments[0]

        def look_up(first: int) -> bool:
            rows = list(range(first, first + 20))
            return all(segment.doc_ids(rows) == {row: f"d{row:03}.md" for row in rows} for _ in range(1_500))

        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(look_up, (0, 60))) == [True, True]


def test_codes_that_do_not_serve_are_not_asked_at_every_question_anew(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, asked = _rows(ROWS), []
    distances = Codes.distances
    monkeypatch.setattr(dense_costs, "_CODE", 0.0)
    monkeypatch.setattr(Codes, "distances", lambda *given: asked.append(1) or distances(*given))
    monkeypatch.setattr(Nearest, "hold", lambda *given: False)
    with IndexFolder(large).open() as engine:
        allowed = engine.allowed(Scope())
        engine._vectors._failures[0] = 0
        costs = Costs(engine.view.infos[0], 10, allowed.count, False, 50)
        assert costs.codes is not None
        assert costs.codes < costs.exact
        for n in range(6):
            monkeypatch.setattr(engine._vectors, "_spent", [0.0])  # so that no graph is loaded
            ranking, used = engine.dense(rows[n], 10, allowed)
            assert used == "exact"
            assert ranking.hits == engine.dense(rows[n], 10, allowed, "exact")[0].hits
    assert len(asked) == 2


def test_large_selections_are_scanned_by_codes(large: Path) -> None:
    with IndexFolder(large).open() as engine:
        whole = engine.allowed(Scope())
        few = engine.allowed(Scope(filters=(Filter("doc_id", "=", "d007.md"),)))
        assert engine.dense(_rows(1)[0], 5, whole, "quantised")[1] == "quantised"
        ranking, used = engine.dense(_rows(1)[0], 500, few)
        assert used == "exact"
        assert {hit.chunk_id for hit in ranking.hits} == {f"d007.md#{n}" for n in range(1, 101)}
