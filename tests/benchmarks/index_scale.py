"""A large synthetic index: building, opening, searching, each beside the bare library on the same data.

    python -m tests.benchmarks.index_scale build FOLDER CHUNKS [EF_CONSTRUCTION [M]]
    python -m tests.benchmarks.index_scale search FOLDER [QUERIES]
    python -m tests.benchmarks.index_scale once FOLDER [RUNS]  whole one-shot processes, beside a 1,000-chunk index
    python -m tests.benchmarks.index_scale grow FOLDER        adds 1 % and compares with the full build

Texts are drawn from a vocabulary with Zipf's frequencies, vectors from clusters whose spectrum falls as that of
sentence embeddings does. One document in a hundred is German, one in five belongs to a group.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.config import Config, IndexConfig, RetrieveConfig
from ragcli.index.folder import IndexFolder
from ragcli.index.staged.staging import Staging
from ragcli.records import Chunk, Document, EmbedderInfo, Filter, Scope
from ragcli.retrieve.candidates import find_candidates
from ragcli.retrieve.stopwatch import Stopwatch
from tests.index.records import document

DIMENSION = 384
PER_DOCUMENT = 10
WORDS = 60
VOCABULARY = 50_000
CLUSTERS = 2_000
MODEL = EmbedderInfo("synthetic", "1", DIMENSION, 256)


def words(generator: np.random.Generator, count: int) -> list[str]:
    ranks = generator.zipf(1.3, count * 2)
    return [f"w{rank}" for rank in ranks if rank <= VOCABULARY][:count]


def documents(first: int, count: int) -> Iterator[tuple[Document, list[Chunk]]]:
    for number in range(first, first + count):
        generator = np.random.default_rng(number)
        texts = [f"chunk {number}x{place} " + " ".join(words(generator, WORDS)) for place in range(PER_DOCUMENT)]
        item = document(
            f"folder{number % 100}/d{number:07}.md",
            "\n".join(texts),
            language="de" if number % 100 == 7 else "en",
            acl=("staff",) if number % 5 == 3 else (),
            modified=f"20{10 + number % 16}-0{1 + number % 9}-1{number % 10}",
        )
        yield item, list(cut(item, texts))


def cut(item: Document, texts: list[str]) -> Iterator[Chunk]:
    from ragcli.records import Span

    start = 0
    for ordinal, text in enumerate(texts, start=1):
        span = Span(start, start + len(text))
        yield Chunk(f"{item.doc_id}#{ordinal}", item.doc_id, ordinal, span, text, item.title, token_count=WORDS)
        start = span.end + 1


class Clusters:
    """Vectors by a chunk's place in the corpus, so that they can be made again."""

    def __init__(self) -> None:
        generator = np.random.default_rng(0)
        self.scale = (np.arange(1, DIMENSION + 1) ** -0.25).astype(np.float32)
        self.centres = generator.normal(size=(CLUSTERS, DIMENSION)).astype(np.float32) * self.scale

    def rows(self, document_number: int, places: int, seed: int = 0) -> NDArray[np.float32]:
        generator = np.random.default_rng((seed, document_number))
        centre = self.centres[generator.integers(0, CLUSTERS, places)]
        rows = centre + 0.9 * generator.normal(size=(places, DIMENSION)).astype(np.float32) * self.scale
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def __call__(self, chunks: list[Chunk]) -> NDArray[np.float32]:
        numbers = dict.fromkeys(int(chunk.doc_id[-10:-3]) for chunk in chunks)
        rows = {number: self.rows(number, PER_DOCUMENT) for number in numbers}
        return np.stack([rows[int(chunk.doc_id[-10:-3])][chunk.ordinal - 1] for chunk in chunks])


def stage(staging: Staging, first: int, count: int) -> float:
    started = time.perf_counter()
    for start in range(first, first + count, 1_000):
        with staging.transaction():
            for item, chunks in documents(start, min(1_000, first + count - start)):
                key = staging.put_document(item, root_id=1, relative=item.doc_id)
                staging.put_chunks(item.doc_id, key, "b", chunks)
    return time.perf_counter() - started


def build(folder: Path, chunks: int, ef_construction: int = 200, m: int = 16) -> None:
    config = Config(index=IndexConfig(hnsw_ef_construction=ef_construction, hnsw_m=m))
    with IndexFolder(folder).writer() as writer:
        print(f"staging {stage(writer.staging, 0, chunks // PER_DOCUMENT):.1f} s", flush=True)
        last = [0.0]

        def progress(name: str, done: int, total: int) -> None:
            if time.monotonic() - last[0] > 30:
                last[0] = time.monotonic()
                print(f"  {name} {done}/{total}", flush=True)

        result = writer.publish(embedder=MODEL, vectors=Clusters(), config=config, progress=progress)
    print(json.dumps({name: round(value, 1) for name, value in result.seconds.items()}), flush=True)
    size = IndexFolder(folder).versions()[-1].bytes
    print(f"{result.chunks} chunks, {size / 1e6:.0f} MB, recall@10 {result.recall_at_10}, {result.notices}")


def grow(folder: Path) -> None:
    """Add one document in a hundred and compare with the build before, embedding aside."""
    before = IndexFolder(folder).versions()[-1]
    full_bytes = before.bytes
    with IndexFolder(folder).writer() as writer:
        stage(writer.staging, before.documents, before.documents // 100)
        started = time.perf_counter()
        result = writer.publish(embedder=MODEL, vectors=Clusters(), config=Config())
        seconds = time.perf_counter() - started - result.seconds.get("embed", 0)
    new = folder / "versions" / str(result.version)
    own = sum(path.stat().st_size for path in new.rglob("*") if path.is_file() and path.stat().st_nlink == 1)
    print(f"added {result.new_chunks} to {before.chunks} chunks in {seconds:.2f} s: {result.seconds}")
    print(f"disk: {own / 1e6:.1f} MB of {full_bytes / 1e6:.0f} MB ({100 * own / full_bytes:.1f} %)")


SCOPES = {
    "1 % (lang=de)": Scope(groups=("staff",), filters=(Filter("lang", "=", "de"),)),
    "10 % (ten folders)": Scope(groups=("staff",), filters=(Filter("source", "~", "folder1?/**"),)),
    "50 % (fifty folders)": Scope(groups=("staff",), filters=(Filter("source", "~", "folder[5-9]?/**"),)),
    "80 % (what is public)": Scope(),
    "100 % (all groups)": Scope(groups=("staff",)),
}
METHODS = ("auto", "exact", "hnsw", "quantised")


def percentiles(run: Callable[[int], Any], queries: int) -> tuple[float, float, float]:
    """Median and 95th percentile of the wall time, and the 95th of the processor time, in milliseconds."""
    times, busy = [], []
    for number in range(queries):
        started, worked = time.perf_counter(), time.process_time()
        run(number)
        times.append((time.perf_counter() - started) * 1000)
        busy.append((time.process_time() - worked) * 1000)
    return float(np.percentile(times, 50)), float(np.percentile(times, 95)), float(np.percentile(busy, 95))


def search(folder: Path, queries: int = 200) -> None:
    """The grid: for each share of the chunks that is allowed, both legs, their fusion, and every dense method.

    Each is warmed by half as many questions, others than those that are measured, so that ``auto`` has come to what it
    stays with. A method that gave way to another is shown with the one that served.
    """
    started = time.perf_counter()
    engine = IndexFolder(folder).open()
    print(
        f"open {1000 * (time.perf_counter() - started):.1f} ms, {engine.manifest.chunks} chunks; ms: p50, p95, p95 CPU"
    )
    clusters = Clusters()
    vectors = np.concatenate([clusters.rows(number, 1, seed=1) for number in range(queries * 3 // 2)])
    texts = [" ".join(words(np.random.default_rng((9, number)), 6)) for number in range(queries * 3 // 2)]
    for name, scope in SCOPES.items():
        allowed = engine.allowed(scope)
        legs: dict[str, Callable[[int], Any]] = {
            "bm25": lambda number, allowed=allowed: engine.lexical(texts[number], 100, allowed),  # type: ignore[misc]
            "hybrid": lambda number, allowed=allowed: _hybrid(engine, texts[number], vectors[number], allowed),  # type: ignore[misc]
        }
        for method in METHODS:
            legs[f"dense {method}"] = lambda number, allowed=allowed, method=method: engine.dense(  # type: ignore[misc]
                vectors[number], 100, allowed, method
            )[1]
        print(f"{name}: {allowed.count} chunks")
        for leg, run in legs.items():
            for number in range(queries, queries * 3 // 2):
                run(number)
            shown = "{:8.1f} {:8.1f} {:8.1f}".format(*percentiles(run, queries))
            print(f"    {leg:18} {shown}  {run(0) if leg.startswith('dense') else ''}", flush=True)
        _recalls(engine, vectors[:20], allowed)
    _floors(engine, vectors[:20], texts[:50])


def _hybrid(engine: Any, text: str, vector: NDArray[np.float32], allowed: Any) -> None:
    find_candidates(
        text,
        engine=engine,
        embedder=stand_in(vector),
        allowed=allowed,
        config=RetrieveConfig(),
        mode="hybrid",
        watch=Stopwatch(),
    ).fused(RetrieveConfig())


def stand_in(vector: NDArray[np.float32]) -> Any:
    """An embedder for the one question of that vector."""
    return SimpleNamespace(queries=lambda texts: vector[None, :])


def _recalls(engine: Any, vectors: NDArray[np.float32], allowed: Any) -> None:
    for depth in (10, 100):
        truth = [{hit.chunk_id for hit in engine.dense(v, depth, allowed, "exact")[0].hits} for v in vectors]
        for method in ("quantised", "hnsw", "auto"):
            found = [engine.dense(v, depth, allowed, method) for v in vectors]
            pairs = zip(truth, found, strict=True)
            recall = np.mean([len(a & {hit.chunk_id for hit in b[0].hits}) / min(depth, len(a)) for a, b in pairs])
            print(f"    recall@{depth} {method} ({found[-1][1]}) {recall:.4f}")


def _floors(engine: Any, vectors: NDArray[np.float32], texts: list[str]) -> None:
    import hnswlib
    import tantivy

    segment = engine.view.segments[0]
    print(
        "bare numpy, all rows: p50 {:.1f} p95 {:.1f} ms, p95 CPU {:.1f} ms".format(
            *percentiles(lambda n: segment.embeddings @ vectors[n], 10)
        )
    )
    index = tantivy.Index.open(str(engine.view.folder / "lexical"))
    searcher, schema = index.searcher(), index.schema

    def terms(number: int) -> None:
        clauses = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", word)) for word in texts[number].split()
        ]
        searcher.search(tantivy.Query.boolean_query(clauses), 100, count=False)

    print(
        "bare tantivy, one field, ids not read: p50 {:.1f} p95 {:.1f} ms, p95 CPU {:.1f} ms".format(
            *percentiles(terms, len(texts))
        )
    )
    started = time.perf_counter()
    graph = hnswlib.Index(space="ip", dim=DIMENSION)
    graph.load_index(str(segment.folder / "dense.hnsw"))
    print(f"bare hnswlib: loaded in {time.perf_counter() - started:.1f} s", end=", ")
    graph.set_ef(100)
    print(
        "p50 {:.1f} p95 {:.1f} ms, p95 CPU {:.1f} ms".format(
            *percentiles(lambda n: graph.knn_query(vectors[n], k=100, num_threads=1), 20)
        )
    )


SMALL = 1_000
ONE_SHOT_GOALS = "goals: 0.6 s more than the small index, 2 GB"


def once(folder: Path, runs: int = 5) -> None:
    """Whole one-shot processes over this index and over one of a thousand chunks, one after the other."""
    with tempfile.TemporaryDirectory() as temporary:
        small = Path(temporary) / "small"
        build(small, SMALL)
        places = {"small": small, "large": folder}
        for place in places.values():
            one_process(place)  # fills the page cache
        figures: dict[str, list[tuple[float, float, float, str]]] = {name: [] for name in places}
        for _ in range(runs):
            for name, place in places.items():
                figures[name].append(one_process(place))
    medians = {}
    for name, found in figures.items():
        wall, busy, peak = (float(np.median([run[place] for run in found])) for place in range(3))
        worst = max(run[2] for run in found)
        medians[name] = wall
        print(
            f"{name}: wall {wall:.3f} s, processor {busy:.3f} s, peak {peak:.2f} GB (worst {worst:.2f}); {found[-1][3]}"
        )
    print(f"the large one costs {medians['large'] - medians['small']:.3f} s more ({ONE_SHOT_GOALS})")


def one_process(folder: Path) -> tuple[float, float, float, str]:
    """Wall and processor seconds and peak gigabytes of one process that searches once, and what it printed."""
    command = [sys.executable, "-m", "tests.benchmarks.index_scale", "one", str(folder)]
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    told = child.stdout.read().strip()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e6, told


def one(folder: Path) -> None:
    """Open, search both legs, fetch what was found: what a single question asks of the index."""
    vector = Clusters().rows(1, 1, seed=1)[0]
    marks = [time.perf_counter()]
    engine = IndexFolder(folder).open()
    marks.append(time.perf_counter())
    allowed = engine.allowed(Scope())
    marks.append(time.perf_counter())
    ranking, method = engine.dense(vector, 100, allowed)
    marks.append(time.perf_counter())
    hits = engine.lexical("w17 w400 w1234", 100, allowed).hits
    marks.append(time.perf_counter())
    engine.chunks([hit.chunk_id for hit in (*ranking.hits[:8], *hits[:8])])
    marks.append(time.perf_counter())
    names = ("open", "allowed", f"dense ({method})", "bm25", "fetch")
    spent = [
        f"{name} {1000 * (end - start):.0f}" for name, start, end in zip(names, marks[:-1], marks[1:], strict=True)
    ]
    print(f"{allowed.count} allowed; ms: {', '.join(spent)}")


def main(arguments: list[str]) -> None:
    command, folder, *rest = arguments
    {"build": build, "search": search, "once": once, "one": one, "grow": grow}[command](Path(folder), *map(int, rest))


if __name__ == "__main__":
    main(sys.argv[1:])
