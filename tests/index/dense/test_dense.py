from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ragcli.index.dense.codes import FAR, Codes, candidate_count, nearest
from ragcli.index.dense.graph_build import exact_many, measure, probes
from ragcli.index.dense.graph_file import GraphFileError
from ragcli.index.dense.vectors import Graph, GraphSettings, exact_top, top

SETTINGS = GraphSettings(m=8, ef_construction=60)


def unit(count: int, dimension: int = 16, seed: int = 0) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_top_breaks_ties_by_row() -> None:
    scores = np.array([0.5, 0.9, 0.5, 0.9, 0.5], dtype=np.float32)
    rows, best = top(scores, 3)
    assert (rows.tolist(), best.tolist()) == ([1, 3, 0], pytest.approx([0.9, 0.9, 0.5]))
    assert top(scores, 2, np.array([9, 8, 7, 6, 5]))[0].tolist() == [6, 8]
    assert top(scores, 99)[0].tolist() == [1, 3, 0, 2, 4]


def test_exact_search_equals_a_full_sort_across_blocks() -> None:
    vectors, query = unit(40_000), unit(1, seed=1)[0]
    truth = np.argsort(-(vectors @ query), kind="stable")[:20]
    assert exact_top(vectors, query, 20)[0].tolist() == truth.tolist()
    rows = np.arange(0, 40_000, 3)
    some = rows[np.argsort(-(vectors[rows] @ query), kind="stable")[:20]]
    assert exact_top(vectors, query, 20, rows)[0].tolist() == some.tolist()


def test_exact_many_equals_exact_top() -> None:
    vectors, queries = unit(20_000), unit(7, seed=1)
    found = exact_many(vectors, queries, 10)
    assert found.tolist() == [exact_top(vectors, query, 10)[0].tolist() for query in queries]


def test_loaded_graph_finds_what_the_built_one_found_and_scores_by_the_rows(tmp_path: Path) -> None:
    vectors, query = unit(600), unit(1, seed=1)[0]
    built = Graph.build(vectors, SETTINGS)
    built.save(tmp_path / "g")
    loaded = Graph.load(tmp_path / "g", vectors, SETTINGS.m)
    for graph in (built, loaded):
        found = graph.search(query, 10, 200)
        assert found is not None
        assert found[0].tolist() == exact_top(vectors, query, 10)[0].tolist()
        assert np.array_equal(found[1], exact_top(vectors, query, 10)[1])
    assert loaded.holds(vectors)
    assert not loaded.holds(unit(600, seed=2))


def test_dead_rows_are_never_returned() -> None:
    vectors, query = unit(600), unit(1, seed=1)[0]
    graph = Graph.build(vectors, SETTINGS)
    graph.mark_dead(np.flatnonzero(np.arange(600) % 6 != 3))
    found = graph.search(query, 50, 64)
    assert found is not None
    assert {row % 6 for row in found[0].tolist()} == {3}
    assert graph.search(query, 101, 64) is None  # only 100 such rows: exact search must take over


def test_graph_is_built_the_same_way_every_time(tmp_path: Path) -> None:
    for name in ("a", "b"):
        Graph.build(unit(500), SETTINGS).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_ef_is_raised_until_the_recall_is_reached() -> None:
    vectors = unit(4000, 48)
    graph = Graph.build(vectors, GraphSettings(m=4, ef_construction=20))
    queries = probes(vectors)
    truth = exact_many(vectors, queries, 10)
    low, effort = measure(graph, queries, truth, 10, 0.0)
    assert effort.ef == 10
    assert low < 0.9
    high, effort = measure(graph, queries, truth, 10, 0.9)
    assert high >= 0.9
    assert effort.ef > 10


def test_effort_grows_with_the_hits_wanted_until_a_hundred_are_found_as_surely() -> None:
    vectors = unit(4000, 32)
    graph = Graph.build(vectors, GraphSettings(m=6, ef_construction=40))
    queries = probes(vectors)
    truth = exact_many(vectors, queries, 100)

    def recall(width: int) -> float:
        found = graph.search_many(queries, 100, width).tolist()
        return sum(len(set(a) & set(b)) for a, b in zip(truth.tolist(), found, strict=True)) / truth.size

    strict = measure(graph, queries, truth, 10, 0.999)[1]
    assert recall(strict.width(100)) >= 0.999
    effort = measure(graph, queries, truth, 10, 0.5)[1]
    assert effort.width(100) < strict.width(100)
    assert effort.per_hit > 1
    assert recall(effort.width(100)) >= 0.98
    assert recall(effort.width(100) // 2) < 0.99


def test_codes_hold_the_true_best_among_few_candidates(tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    vectors = unit(50, 100, seed=3)[generator.integers(0, 50, 20_000)] + 0.07 * unit(20_000, 100, seed=4)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    Codes.build(vectors).save(tmp_path)
    codes = Codes.open(tmp_path, vectors)
    assert codes is not None
    query = vectors[77]
    truth = set(exact_top(vectors, query, 10)[0].tolist())
    near = nearest(codes.distances(query), 1_000).rows
    assert 1_000 <= len(near) < 4_000
    assert truth <= set(near.tolist())
    allowed = np.zeros(20_000, dtype=bool)
    allowed[::7] = True
    some = nearest(codes.distances(query, allowed), 300).rows
    assert len(some) >= 300
    assert all(row % 7 == 0 for row in some.tolist())
    assert nearest(codes.distances(query, allowed), 10**6).rows.tolist() == list(range(0, 20_000, 7))


def test_codes_are_signs_around_the_mean() -> None:
    vectors = np.array([[1, 0, 5], [0, 1, 5], [1, 1, 5], [0, 0, 5]], dtype=np.float32)
    codes = Codes.build(vectors)  # mean .5 .5 5: codes 10-, 01-, 11-, 00-
    distances = codes.distances(np.array([1, 1, 5], dtype=np.float32))
    assert distances.tolist() == [1, 1, 0, 2]
    assert nearest(distances, 1).rows.tolist() == [2]
    assert nearest(distances, 2).rows.tolist() == [0, 1, 2]  # ties are taken together


def test_candidates_hold_when_hardly_a_hit_lies_in_their_farther_half() -> None:
    distances = np.array([7, 3, 9, 1, 5, FAR], dtype=np.uint16)
    near = nearest(distances, 4)
    assert near.rows.tolist() == [0, 1, 3, 4]
    assert near.half == 3  # the second smallest of 1 3 5 7
    assert near.hold(np.array([1, 1], dtype=np.uint16))
    assert not near.hold(np.array([1, 3], dtype=np.uint16))
    assert near.hold(np.array([1] * 99 + [7], dtype=np.uint16))
    assert not near.hold(np.array([1] * 98 + [7] * 2, dtype=np.uint16))
    every = nearest(distances, 6)  # all that may be chosen: nothing is left to miss
    assert every.rows.tolist() == [0, 1, 2, 3, 4]
    assert every.hold(np.array([9, 9], dtype=np.uint16))


def test_needed_factor_is_the_least_that_reaches_the_recall() -> None:
    vectors = unit(12_000, 32)
    codes, queries = Codes.build(vectors), unit(20, 32, seed=9)
    truth = exact_many(vectors, queries, 100)

    def recall(factor: int) -> float:
        wanted = candidate_count(100, factor)
        found = [
            set(best) & set(nearest(codes.distances(q), wanted).rows.tolist())
            for q, best in zip(queries, truth.tolist(), strict=True)
        ]
        return sum(map(len, found)) / truth.size

    factor = codes.needed_factor(vectors, queries, truth, 0.9)
    assert recall(factor) >= 0.9
    assert factor == 10 or recall(factor // 2) < 0.9


def _damage(data: bytearray, place: int, value: bytes) -> bytes:
    data[place : place + len(value)] = value
    return bytes(data)


@pytest.fixture(scope="module")
def graph_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("graph") / "g"
    Graph.build(unit(300), SETTINGS).save(path)
    return path.read_bytes()


_ELEMENT = 2 * 8 * 4 + 4 + 16 * 4 + 8
_START = 96
_HUGE = (2**31).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, b"\x08"),  # offset of level 0
        (8, (2**40).to_bytes(8, "little")),  # room for more elements than there are
        (16, b"\x01\x00"),  # element count
        (24, b"\xff\xff"),  # bytes of an element
        (48, b"\x50"),  # highest level
        (52, _HUGE),  # entry point
        (56, b"\xff"),  # links per element
        (_START, b"\xff\x7f"),  # length of the first element's links
        (_START + 4, _HUGE),  # its first link
        (_START + _ELEMENT - 8, _HUGE),  # its label
        (_START + _ELEMENT - 8, b"\x01"),  # a label that another element has
        (_START + 300 * _ELEMENT, _HUGE),  # bytes of its upper links
    ],
)
def test_damaged_graph_is_refused_before_it_is_loaded(
    tmp_path: Path, graph_bytes: bytes, place: int, value: bytes
) -> None:
    path = tmp_path / "g"
    path.write_bytes(graph_bytes)
    Graph.load(path, unit(300), SETTINGS.m)
    path.write_bytes(_damage(bytearray(graph_bytes), place, value))
    with pytest.raises(GraphFileError):
        Graph.load(path, unit(300), SETTINGS.m)


def test_graph_of_another_size_or_kind_is_refused(tmp_path: Path, graph_bytes: bytes) -> None:
    path = tmp_path / "g"
    for content in (b"", graph_bytes[:50], graph_bytes[:-1], graph_bytes + b"\0", b"\0" * len(graph_bytes)):
        path.write_bytes(content)
        with pytest.raises(GraphFileError):
            Graph.load(path, unit(300), SETTINGS.m)
    path.write_bytes(graph_bytes)
    for vectors, m in ((unit(301), 8), (unit(300, 17), 8), (unit(300), 9)):
        with pytest.raises(GraphFileError):
            Graph.load(path, vectors, m)
    with pytest.raises(GraphFileError):
        Graph.load(tmp_path / "missing", unit(300), 8)


def test_any_damaged_byte_leaves_a_refusal_or_a_usable_graph(tmp_path: Path, graph_bytes: bytes) -> None:
    generator = np.random.default_rng(0)
    vectors, query = unit(300), unit(1, seed=1)[0]
    path = tmp_path / "g"
    for _ in range(150):
        data = bytearray(graph_bytes)
        for place in generator.integers(0, len(data), 3):
            data[place] = int(generator.integers(0, 256))
        path.write_bytes(bytes(data))
        try:
            graph = Graph.load(path, vectors, SETTINGS.m)
        except GraphFileError:
            continue
        found = graph.search(query, 5, 20)
        assert found is None or len(found[0]) == 5


def test_of_equal_rows_any_counts_as_found() -> None:
    vectors = np.repeat(unit(40, 32), 30, axis=0)  # thirty copies of each
    graph = Graph.build(vectors, GraphSettings(m=16, ef_construction=200))
    queries = probes(vectors)
    recall, effort = measure(graph, queries, exact_many(vectors, queries, 10), 200, 0.95)
    assert recall >= 0.95
    assert effort.ef == 200
