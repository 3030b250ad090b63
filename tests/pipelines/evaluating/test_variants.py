from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ragcli.config import Config, load
from ragcli.evaluate.matrix import read_matrix
from ragcli.evaluate.run import EvalRun
from ragcli.index.folder import IndexFolder
from ragcli.interfaces import Embedder, Store
from ragcli.pipelines.evaluating.variants import run_matrix
from tests.evaluate.project import Project, build, golden

CASES = golden(
    '{"question": "How many days may I work from home?", "expected_source": "remote.md"}',
    '{"question": "E-4013", "expected_source": "errors.md"}',
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    made = build(tmp_path_factory.mktemp("handbook"))
    yield made
    made.engine.close()


class Counting:
    """Keeps the passages that are embedded."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self.texts = embedder, list[str]()

    def __getattr__(self, name: str) -> object:
        return getattr(self._embedder, name)

    def passages(self, texts: Sequence[str], progress: object = None) -> object:
        self.texts += texts
        return self._embedder.passages(texts)


def test_rows_run_on_the_index_they_need_and_leave_nothing_behind(project: Project, tmp_path: Path) -> None:
    counting = Counting(project.embedder)
    spec = read_matrix(
        {
            "rows": {
                "plain": {},
                "words": {"retrieve.mode": "bm25"},
                "whole": {"chunk.min_tokens": 60},
                "whole, words": {"chunk.min_tokens": 60, "retrieve.mode": "bm25"},
                "cut": {"chunk.strategy": "fixed", "chunk.max_tokens": 16},
            }
        },
        "m.yaml",
    )

    def configure(changes: dict[str, object]) -> Config:
        return load(overrides={"index.path": str(project.config.index_path), **changes}, environ={}, cwd=tmp_path)

    def run(config: Config, store: Store) -> EvalRun:
        with contextlib.closing(store.open()) as engine:
            under = dataclasses.replace(project, config=config, engine=engine)
            return under.run(CASES, under.steps(CASES, mode=config.retrieve.mode))

    results = run_matrix(
        spec,
        base=project.config,
        configure=configure,
        store=IndexFolder(project.config.index_path),
        engine=project.engine,
        embedder=lambda config: counting,  # type: ignore[arg-type,return-value]
        run=run,
    )
    assert [item.built for item in results] == ["at hand", "at hand", "variant 1", "variant 1", "variant 2"]
    assert [item.build_seconds > 0 for item in results] == [False, False, True, False, True]
    at_hand, _, whole, _, cut = (item.chunks for item in results)
    assert cut > at_hand
    assert whole <= at_hand
    assert all(item.run.measures["R@5"].mean == 1.0 for item in results)
    known = {chunk.indexed_text for doc in project.engine.doc_ids() for chunk in project.engine.document_chunks(doc)}
    assert counting.texts
    assert not known & set(counting.texts)
    assert not list((project.config.index_path / "staging").glob("trial-*"))
    assert (project.config.index_path / "cache").is_dir()
