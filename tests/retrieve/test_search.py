from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from ragcli.config import RerankConfig, RetrieveConfig, SearchMode
from ragcli.errors import ConfigError, StoreError
from ragcli.records import Allowed, DenseMethod, Filter, Metadata, Ranking, Retrieval, Scope
from ragcli.retrieve.rerank import MaxSimReranker
from ragcli.retrieve.search import retrieve
from tests.retrieve.memory_engine import MemoryEngine, ToyEmbedder, chunk

REMOTE = chunk("remote.md#1", "remote days per week", "Remote")
LEAVE = chunk("leave.md#1", "days of leave", "Leave")
OFFICE = chunk("office.md#1", "desks and rooms", "Office")
VECTORS = {"remote.md#1": (0.6, 0.8), "leave.md#1": (0.0, 1.0), "office.md#1": (1.0, 0.0)}
EMBEDDER = ToyEmbedder({"remote days": (1.0, 0.0), "nothing": (1.0, 0.0)})


def run(engine: MemoryEngine, question: str = "remote days", **options: object) -> Retrieval:
    settings: dict[str, object] = {
        "engine": engine,
        "embedder": EMBEDDER,
        "scope": Scope(),
        "config": RetrieveConfig(k=3, dense_weight=0.6),
        "rerank": RerankConfig(),
    }
    return retrieve(question, **(settings | options))  # type: ignore[arg-type]


def engine(**options: object) -> MemoryEngine:
    return MemoryEngine([REMOTE, LEAVE, OFFICE], VECTORS, **options)  # type: ignore[arg-type]


def ids(retrieval: Retrieval) -> list[str]:
    return [hit.chunk.chunk_id for hit in retrieval.hits]


def test_hybrid_scores_worked_by_hand() -> None:
    found = run(engine())
    # bm25: remote 2 words, leave 1; cosines: office 1, remote .6, leave 0; weight of dense .6
    assert ids(found) == ["remote.md#1", "office.md#1", "leave.md#1"]
    assert [hit.score for hit in found.hits] == pytest.approx([0.6 * 0.6 + 0.4, 0.6, 0.4 / 2])
    first = found.hits[0]
    assert (first.bm25_rank, first.bm25_score, first.dense_rank, first.fused_rank) == (1, 2.0, 2, 1)
    assert first.dense_score == pytest.approx(0.6) and first.rerank_score is None
    assert found.hits[1].bm25_rank is None and found.hits[1].bm25_score is None
    assert (found.mode, found.dense_method, found.reranker, found.reranked) == ("hybrid", "exact", None, None)
    assert list(found.legs) == ["bm25", "dense"]


def test_a_lexical_candidate_below_the_dense_depth_gets_its_true_cosine() -> None:
    found = run(engine(), config=RetrieveConfig(k=1, depth=1, dense_weight=0.6))
    assert ids(found) == ["remote.md#1"] and len(found.fused.hits) == 2
    first = found.hits[0]
    assert first.score == pytest.approx(0.6 * 0.6 + 0.4)
    assert first.dense_rank is None and first.dense_score == pytest.approx(0.6)


def test_the_configured_dense_method_is_asked_for() -> None:
    assert run(engine(), config=RetrieveConfig(dense_method="hnsw")).dense_method == "hnsw"


def test_rrf_by_config() -> None:
    found = run(engine(), config=RetrieveConfig(k=3, fusion="rrf", rrf_k=60))
    assert ids(found) == ["remote.md#1", "leave.md#1", "office.md#1"]
    assert [hit.score for hit in found.hits] == pytest.approx([1 / 61 + 1 / 62, 1 / 62 + 1 / 63, 1 / 61])


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("bm25", ["remote.md#1", "leave.md#1"]), ("dense", ["office.md#1", "remote.md#1", "leave.md#1"])],
)
def test_one_leg_alone(mode: str, expected: list[str]) -> None:
    found = run(engine(), mode=mode)
    assert ids(found) == expected
    assert list(found.legs) == [mode] and found.fused == found.legs[mode] and found.mode == mode
    assert ("embed" in found.timings_ms) == (mode == "dense")


def test_bm25_needs_no_model_and_the_others_say_so() -> None:
    assert ids(run(engine(), mode="bm25", embedder=None)) == ["remote.md#1", "leave.md#1"]
    with pytest.raises(ConfigError, match="mode hybrid needs an embedding model"):
        run(engine(), embedder=None)


@pytest.mark.parametrize("question", ["", "  \n "])
def test_an_empty_question_is_refused(question: str) -> None:
    with pytest.raises(ConfigError, match="the question is empty"):
        run(engine(), question)


def test_nothing_allowed_gives_no_hits_and_embeds_nothing() -> None:
    found = run(engine(hidden=["remote.md", "leave.md", "office.md"]), "not a known question")
    assert found.hits == () and found.fused.hits == () and found.dense_method is None
    assert found.superseded_hidden == 3 and "embed" not in found.timings_ms


def test_nothing_matches_in_bm25() -> None:
    assert run(engine(), "nothing", mode="bm25").hits == ()
    assert len(run(engine(), "nothing").hits) == 3


def test_the_scope_reaches_the_engine_and_hidden_chunks_stay_hidden() -> None:
    inner, scope = engine(hidden=["office.md"]), Scope((Filter("lang", "=", "de"),), ("hr",), "2026-01-01")
    found = run(inner, scope=scope)
    assert inner.scopes == [scope]
    assert ids(found) == ["remote.md#1", "leave.md#1"]


def test_k_and_its_default() -> None:
    assert len(run(engine(), k=1).hits) == 1
    assert len(run(engine(), config=RetrieveConfig(k=2)).hits) == 2
    assert [hit.rank for hit in run(engine(), k=50).hits] == [1, 2, 3]


def test_the_legs_go_as_deep_as_k() -> None:
    assert len(run(engine(), k=3, config=RetrieveConfig(depth=1)).hits) == 3


def test_a_question_with_a_broken_character_is_asked_with_a_question_mark() -> None:
    assert run(engine(), "remote \udcff", mode="bm25").query == "remote ?"


def test_what_is_known_of_the_document_is_shown() -> None:
    metadata = {"remote.md": Metadata(language="en", effective_date="2026-03-01")}
    found = run(engine(metadata=metadata, also_in={"remote.md": ("docs/copy.md",)})).hits[0]
    assert (found.source, found.language, found.effective_date) == ("docs/remote.md", "en", "2026-03-01")
    assert found.also_in == ("docs/copy.md",)


def test_copies_take_one_place_and_are_named() -> None:
    copies = [chunk(f"{name}.md#1", "remote days", "Same") for name in "abc"]
    other = chunk("z.md#1", "remote days", "Another title")
    vectors = {each.chunk_id: (1.0, 0.0) for each in [*copies, other]}
    found = run(MemoryEngine([*copies, other], vectors), k=2)
    assert ids(found) == ["a.md#1", "z.md#1"]
    assert [hit.also_in for hit in found.hits] == [("docs/b.md", "docs/c.md"), ()]
    assert [hit.fused_rank for hit in found.hits] == [1, 4] and [hit.rank for hit in found.hits] == [1, 2]


class BackwardReranker:
    """Likes what the fusion liked least."""

    name = "backward"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        self.seen = list(texts)
        return [float(n) for n in range(len(texts))]


def test_reranking_reorders_its_depth_and_leaves_the_rest_behind() -> None:
    reranker = BackwardReranker()
    found = run(engine(), reranker=reranker, rerank=RerankConfig(depth=2))
    assert ids(found) == ["office.md#1", "remote.md#1", "leave.md#1"]
    assert reranker.seen == [REMOTE.indexed_text, OFFICE.indexed_text]
    assert [hit.rerank_score for hit in found.hits] == [1.0, 0.0, None]
    assert [hit.fused_rank for hit in found.hits] == [2, 1, 3]
    assert found.reranker == "backward" and found.reranked is not None
    assert [hit.chunk_id for hit in found.reranked.hits] == ["office.md#1", "remote.md#1"]
    assert "rerank" in found.timings_ms


def test_equal_rerank_scores_go_by_id() -> None:
    class Indifferent(BackwardReranker):
        def scores(self, question: str, texts: Sequence[str]) -> list[float]:
            return [1.0] * len(texts)

    assert ids(run(engine(), reranker=Indifferent())) == ["leave.md#1", "office.md#1", "remote.md#1"]


def test_maxsim_is_the_mean_best_match() -> None:
    reranker = MaxSimReranker(EMBEDDER)  # type: ignore[arg-type]
    # tokens are equal when their first letters are: r,d of "remote days" against three texts
    assert reranker.scores("remote days", ["days remote", "desks", "office"]) == [1.0, 0.5, 0.0]
    assert reranker.scores("remote days", ["", "dog"]) == [0.0, 0.5]
    assert reranker.name == "maxsim (toy)"


def test_total_time_holds_the_stages() -> None:
    timings = run(engine()).timings_ms
    assert set(timings) == {"filter", "bm25", "embed", "dense", "fuse", "fetch", "total"}
    assert timings["total"] >= sum(value for stage, value in timings.items() if stage != "total")


def test_a_chunk_may_be_its_own_neighbour() -> None:
    twice = [chunk("a.md#1", "remote days"), chunk("a.md#2", "remote days")]
    found = run(MemoryEngine(twice, {each.chunk_id: (1.0, 0.0) for each in twice}))
    assert ids(found) == ["a.md#1"] and found.hits[0].also_in == ()


class FailingEngine(MemoryEngine):
    """Its BM25 index is damaged."""

    def lexical(self, query: str, depth: int, allowed: Allowed) -> Ranking:
        raise StoreError("the BM25 index is damaged")


def test_a_leg_that_fails_ends_the_search() -> None:
    broken = FailingEngine([REMOTE, LEAVE, OFFICE], VECTORS)
    with pytest.raises(StoreError, match="BM25 index is damaged"):
        run(broken)
    assert ids(run(broken, config=RetrieveConfig(k=3, mode="dense"))) == ["office.md#1", "remote.md#1", "leave.md#1"]


class MeetingEngine(MemoryEngine):
    """Each of its legs ends only when the other has begun."""

    def __init__(self) -> None:
        super().__init__([REMOTE, LEAVE, OFFICE], VECTORS)
        self._both = threading.Barrier(2, timeout=20)

    def lexical(self, query: str, depth: int, allowed: Allowed) -> Ranking:
        self._both.wait()
        return super().lexical(query, depth, allowed)

    def dense(
        self, vector: NDArray[np.float32], depth: int, allowed: Allowed, method: str = "auto"
    ) -> tuple[Ranking, DenseMethod]:
        self._both.wait()
        return super().dense(vector, depth, allowed, method)


def test_the_legs_run_at_the_same_time() -> None:
    assert ids(run(MeetingEngine())) == ids(run(engine()))


@pytest.mark.parametrize(("mode", "legs"), [("hybrid", ["bm25", "dense"]), ("dense", ["dense"]), ("bm25", ["bm25"])])
def test_nothing_allowed_gives_the_legs_of_the_mode_empty(mode: SearchMode, legs: list[str]) -> None:
    hidden = engine(hidden=["remote.md", "leave.md", "office.md"])
    found = run(hidden, config=RetrieveConfig(k=3, mode=mode))
    assert list(found.legs) == legs
    assert all(not ranking.hits for ranking in found.legs.values())


def test_copies_of_one_text_do_not_crowd_out_the_others() -> None:
    copies = [chunk(f"copy{n}.md#1", "remote days", "Notice") for n in range(30)]
    vectors = {**VECTORS, **{copy.chunk_id: (0.9, 0.436) for copy in copies}}
    crowded = MemoryEngine([REMOTE, LEAVE, OFFICE, *copies], vectors)
    for mode in ("hybrid", "dense"):
        found = run(crowded, config=RetrieveConfig(k=3, depth=3, mode=mode))
        assert len(found.hits) == 3
        repeated = next(hit for hit in found.hits if hit.chunk.text == "remote days")
        assert len(repeated.also_in) == 29
