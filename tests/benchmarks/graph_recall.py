"""Recall of the graph and of the bit codes over real sentence embeddings, through the product's own publish.

    python -m tests.benchmarks.graph_recall CACHE [ROWS]

Embeds sentences of the golden sets' documents (once: CACHE keeps the vectors, and an interrupted run goes on where it
stopped), publishes them as an index, and compares the ten and hundred best of every way of searching with an exact
search, for the golden sets' own questions, for sentences that were left out, and for stored rows. Bare hnswlib, built
and searched with the same settings over the same rows, is the floor. Set OMP_NUM_THREADS to bound the processors.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.config import Config, EmbedConfig
from ragcli.embed.loading import load_embedder
from ragcli.index.dense.graph_build import exact_many
from ragcli.index.folder import IndexFolder
from ragcli.index.staged.staging import Staging
from ragcli.interfaces import Embedder
from ragcli.records import Chunk, Scope, Span
from tests.benchmarks.retrieval import SHARED
from tests.index.records import document

Rows = NDArray[np.float32]

SETS = ("pubmedqa", "hotpotqa100", "datatalks_faq", "anthropic_docs", "cranfield", "npl", "financebench", "squad2")
PER_DOCUMENT = 10
BATCH = 500
QUERIES = 1_000
GOAL = 0.98


def sentences() -> list[str]:
    """Every distinct sentence of 40 to 200 characters, in a seeded order."""
    found = {line for text in _texts() for line in map(str.strip, re.split(r"(?<=[.!?])\s+|\n+", text))}
    ordered = sorted(line for line in found if 40 <= len(line) <= 200)
    random.Random(0).shuffle(ordered)
    return ordered


def _texts() -> Iterator[str]:
    golden = SHARED / "golden"
    yield from (row["text"] for row in _json_lines(golden / "scifact" / "corpus.jsonl"))
    for name in SETS:
        for path in sorted((golden / name / "docs").rglob("*")):
            if path.is_file():
                yield path.read_text(encoding="utf-8", errors="ignore")


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def questions() -> list[str]:
    """A seeded sample of the golden sets' questions."""
    golden = SHARED / "golden"
    files = [golden / name / "golden.jsonl" for name in ("scifact", *SETS)]
    found = {row["question"] for path in files for row in _json_lines(path)}
    return random.Random(0).sample(sorted(found), min(QUERIES, len(found)))


class Kept:
    """Vectors kept in a folder under a name, made once and in batches."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._folder, self._embedder = folder, embedder

    def rows(self, name: str, texts: Sequence[str], *, passages: bool = True) -> Rows:
        """A row per text; those of an earlier run over the same texts are not made again."""
        path, note = self._folder / f"{name}.npy", self._folder / f"{name}.json"
        key = hashlib.sha256("\n".join(texts).encode()).hexdigest()
        state = json.loads(note.read_text()) if note.exists() else {}
        if state.get("texts") != key:
            state = {"texts": key, "done": 0}
            np.lib.format.open_memmap(path, "w+", "<f4", (len(texts), self._embedder.info.dimension)).flush()
        out = np.lib.format.open_memmap(path, "r+")
        embed = self._embedder.passages if passages else self._embedder.queries
        for start in range(state["done"], len(texts), BATCH):
            out[start : start + BATCH] = embed(texts[start : start + BATCH])
            out.flush()
            state["done"] = min(start + BATCH, len(texts))
            note.write_text(json.dumps(state))
            print(f"\r{name} {state['done']}/{len(texts)}", end="", file=sys.stderr, flush=True)
        return out


def publish(folder: Path, texts: Sequence[str], rows: Rows, embedder: Embedder) -> None:
    """Make ``folder`` an index of one version, a chunk per sentence."""
    shutil.rmtree(folder, ignore_errors=True)

    def vectors(chunks: list[Chunk]) -> Rows:
        return np.asarray(rows[[int(chunk.doc_id[1:-3]) * PER_DOCUMENT + chunk.ordinal - 1 for chunk in chunks]])

    with IndexFolder(folder).writer() as writer:
        _stage(writer.staging, texts)
        started = time.perf_counter()
        result = writer.publish(embedder=embedder.info, vectors=vectors, config=Config())
    seconds = {name: round(value, 1) for name, value in result.seconds.items()}
    print(f"published {result.chunks} chunks in {time.perf_counter() - started:.0f} s: {seconds}")
    print(f"recall@10 measured when built: {result.recall_at_10}; {' '.join(result.notices) or 'no notices'}")


def _stage(staging: Staging, texts: Sequence[str]) -> None:
    with staging.transaction():
        for number, start in enumerate(range(0, len(texts), PER_DOCUMENT)):
            part = texts[start : start + PER_DOCUMENT]
            item = document(f"d{number:07}.md", "\n".join(part))
            key = staging.put_document(item, root_id=1, relative=item.doc_id)
            staging.put_chunks(item.doc_id, key, "b", list(_cut(item.doc_id, item.title, part)))


def _cut(doc_id: str, title: str, texts: Sequence[str]) -> Iterator[Chunk]:
    start = 0
    for ordinal, text in enumerate(texts, start=1):
        yield Chunk(f"{doc_id}#{ordinal}", doc_id, ordinal, Span(start, start + len(text)), text, title)
        start += len(text) + 1


def measure(folder: Path, rows: Rows, queries: dict[str, Rows]) -> None:
    """Recall of each way against numpy over the same rows."""
    print(f"{'queries':18} {'way':16} {'recall@10':>10} {'recall@100':>11} {'median ms':>10}")
    config = Config().index
    bare = _bare_graph(rows, config.hnsw_m, config.hnsw_ef_construction)
    with IndexFolder(folder).open() as engine:
        ef = engine.manifest.segments[0].ef
        everything = engine.allowed(Scope())

        def through(method: str) -> Any:
            def run(query: Rows, depth: int) -> list[int]:
                hits = engine.dense(query, depth, everything, method)[0].hits
                return [_row(hit.chunk_id) for hit in hits]

            return run

        def floor(query: Rows, depth: int) -> list[int]:
            bare.set_ef(max(ef, depth))
            return list(bare.knn_query(query[None, :], k=depth, num_threads=1)[0][0].tolist())

        ways = {"graph": through("hnsw"), "bit codes": through("quantised"), "exact": through("exact")}
        for name, given in queries.items():
            truth = exact_many(rows, given, 100)
            for way, run in {**ways, f"hnswlib, ef {ef}": floor}.items():
                _line(name, way, given, truth, run)


def _line(name: str, way: str, queries: Rows, truth: NDArray[np.int64], run: Any) -> None:
    recalls, times = [], []
    for depth in (10, 100):
        found = 0
        for query, best in zip(queries, truth[:, :depth].tolist(), strict=True):
            started = time.perf_counter()
            found += len(set(run(query, depth)) & set(best))
            times.append(1000 * (time.perf_counter() - started))
        recalls.append(found / (depth * len(queries)))
    verdict = f"  below the goal of {GOAL}" if way == "graph" and recalls[0] < GOAL else ""
    print(f"{name:18} {way:16} {recalls[0]:10.4f} {recalls[1]:11.4f} {np.median(times):10.2f}{verdict}", flush=True)


def _row(chunk_id: str) -> int:
    doc_id, _, ordinal = chunk_id.rpartition("#")
    return int(doc_id[1:-3]) * PER_DOCUMENT + int(ordinal) - 1


def _bare_graph(rows: Rows, m: int, ef_construction: int) -> Any:
    import hnswlib

    graph = hnswlib.Index(space="ip", dim=rows.shape[1])
    graph.init_index(len(rows), M=m, ef_construction=ef_construction, random_seed=42)
    graph.add_items(rows, np.arange(len(rows)))
    return graph


def main(arguments: list[str]) -> None:
    cache, wanted = Path(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 100_000
    cache.mkdir(parents=True, exist_ok=True)
    embedder = load_embedder(EmbedConfig(threads=1), offline=True)
    texts = sentences()
    kept = Kept(cache, embedder)
    rows = kept.rows("sentences", texts[:wanted])
    held = kept.rows("held", texts[wanted:][:QUERIES])
    asked = kept.rows("questions", questions(), passages=False)
    publish(cache / "index", texts[:wanted], rows, embedder)
    stored = np.asarray(rows[np.sort(np.random.default_rng(0).choice(len(rows), min(QUERIES, len(rows)), False))])
    measure(cache / "index", rows, {"questions": asked, "held sentences": held, "stored rows": stored})


if __name__ == "__main__":
    main(sys.argv[1:])
