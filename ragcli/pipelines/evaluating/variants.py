"""The rows of a matrix, each on the index it needs: the one at hand, or a variant built aside from the same documents.

A variant shares the cache of embeddings, so only chunk texts that are new are embedded; rows that agree in everything
that shapes an index share one. Variants are removed when the matrix is done: nothing of a document stays behind.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragcli.config import Config
from ragcli.evaluate.matrix import MatrixResult, MatrixSpec, compared
from ragcli.evaluate.measuring.bootstrap import Bootstrap
from ragcli.evaluate.run import EvalRun
from ragcli.interfaces import Embedder, Engine, Progress, Store
from ragcli.pipelines.building.chunk import chunk
from ragcli.pipelines.building.index import build_index

_SHAPING = ("chunk", "embed", "index")
_NOT_SHAPING = frozenset(
    {
        "index.engine",
        "index.path",
        "index.keep_versions",
        "index.default_acl",
        "index.title_boost",
        "index.heading_boost",
        "index.nearby_boost",
        "index.hnsw_ef",
        "embed.batch_size",
        "embed.threads",
    }
)


@dataclass(frozen=True)
class BuiltIndex:
    """An index to run rows on: where it is, what to call it, and what it cost."""

    store: Store
    name: str
    seconds: float


def shape(settings: Mapping[str, Mapping[str, Any]]) -> str:
    """Every setting that shapes an index, as text: equal shapes, equal index. ``settings`` is keyed by section."""
    keys = {f"{section}.{key}": value for section in _SHAPING for key, value in settings.get(section, {}).items()}
    return repr(sorted((key, value) for key, value in keys.items() if key not in _NOT_SHAPING))


def run_matrix(
    spec: MatrixSpec,
    *,
    base: Config,
    configure: Callable[[dict[str, object]], Config],
    store: Store,
    engine: Engine,
    embedder: Callable[[Config], Embedder],
    run: Callable[[Config, Store], EvalRun],
    progress: Progress | None = None,
) -> list[MatrixResult]:
    """Every row measured and compared with the first.

    ``configure`` gives the settings of a row from its changes, ``run`` evaluates under settings on the row's index.
    ``engine`` serves the index at hand, of ``store``; a row whose settings are not those that it was built under gets
    a variant.
    """
    configs = [configure(dict(row.settings)) for row in spec.rows]
    made = {shape(engine.settings): BuiltIndex(store, "at hand", 0.0)}
    results = []
    with contextlib.ExitStack() as trials:
        for number, (row, config) in enumerate(zip(spec.rows, configs, strict=True), start=1):
            if progress is not None:
                progress("matrix", number, len(spec.rows))
            built = made.get(shape(config.to_mapping()))
            first = built is None
            if built is None:
                trial = trials.enter_context(store.scratch())
                built = _build(engine, trial, f"variant {len(made)}", config, embedder(config))
                made[shape(config.to_mapping())] = built
            found = run(config, built.store)
            seconds = built.seconds if first else 0.0
            results.append(MatrixResult(row, found, built.name, seconds, _chunks(built.store)))
    how = Bootstrap(base.eval.confidence, base.eval.resamples, base.eval.seed)
    return compared(results, how)


def _build(engine: Engine, store: Store, name: str, config: Config, embedder: Embedder) -> BuiltIndex:
    """The documents of ``engine`` cut and indexed under ``config``."""
    started = time.perf_counter()
    with store.writer() as writer:
        with writer.staging.transaction():
            root = writer.staging.add_root(Path(name))
            for doc_id in engine.doc_ids():
                writer.staging.put_document(engine.document(doc_id), root_id=root.root_id, relative=doc_id)
        chunk(config=config, writer=writer, embedder=embedder)
        build_index(config=config, writer=writer, embedder=embedder)
    return BuiltIndex(store, name, time.perf_counter() - started)


def _chunks(store: Store) -> int:
    return next((version.chunks for version in store.versions() if version.current), 0)
