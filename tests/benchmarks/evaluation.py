"""What an evaluation costs over the bare search it measures.

    python -m tests.benchmarks.evaluation --keep FOLDER scifact

Raw: every question of the set embedded in one batch, then both legs, fusion and (where configured) reranking for each,
without reading a chunk. Then the whole retrieval-only evaluation of the same set, index and process:
labels resolved, measures, losses, intervals. Prints both and their ratio; the goal is at most 1.5. ``--keep`` holds the
indexes between runs (those of ``tests.benchmarks.retrieval`` serve).
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from ragcli import Index
from ragcli.config import load
from ragcli.embed.loading import load_embedder
from ragcli.evaluate.golden_sets.file import load_golden
from ragcli.index.folder import IndexFolder
from ragcli.pipelines.asking.reader import Reader
from ragcli.pipelines.evaluating.reader_steps import evaluate_reader
from ragcli.records import Scope
from ragcli.retrieve.candidates import find_candidates
from ragcli.retrieve.rerank import load_reranker
from ragcli.retrieve.stopwatch import Stopwatch
from tests.benchmarks.retrieval import build, golden_folder

SCOPE = Scope(include_superseded=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--keep", type=Path, required=True, help="folder that holds the indexes")
    parser.add_argument("--rounds", type=int, default=3, help="the best of this many of each")
    arguments = parser.parse_args()
    for name in arguments.sets:
        measure(name, arguments.keep, arguments.rounds)


def measure(name: str, keep: Path, rounds: int) -> None:
    """Build the set's index if it is not there, then print raw and whole times in turn."""
    folder = golden_folder(name)
    config = load(overrides={"index.path": str(keep / folder.name)}, cwd=keep, environ={})
    build(IndexFolder(config.index_path), folder, config, load_embedder(config.embed))
    golden = load_golden(folder / "golden.jsonl")
    questions = [case.question for case in golden.cases]
    raw, whole, quality = [], [], ""
    for _ in range(rounds):
        raw.append(raw_seconds(Index(config).reader, questions))
        started = time.perf_counter()
        run = evaluate_reader(golden, Index(config).reader, SCOPE, answers=False)
        whole.append(time.perf_counter() - started)
        mean = run.measures["nDCG@10"].mean
        quality = f"nDCG@10 {mean:.4f}, losses {dict(run.losses)}" if mean is not None else ""
        print(f"  raw {raw[-1]:.2f} s, evaluation {whole[-1]:.2f} s: {dict(run.seconds)}", file=sys.stderr)
    times = f"raw {min(raw):.2f} s, evaluation {min(whole):.2f} s, ratio {min(whole) / min(raw):.2f}"
    print(f"{name}: {len(questions)} questions, {times}; {quality}")


def raw_seconds(reader: Reader, questions: list[str]) -> float:
    """Embedding, both legs, fusion and reranking of every question; the model is loaded before the clock starts."""
    embedder, engine = reader.embedder, reader.engine
    embedder.queries(["warm"])
    reranker = load_reranker(reader.config.rerank, lambda: embedder, offline=True)
    reader.expect(questions)
    allowed, settings = engine.allowed(SCOPE), reader.config.retrieve
    started = time.perf_counter()
    for question in questions:
        candidates = find_candidates(
            question,
            engine=engine,
            embedder=reader.embedder,
            allowed=allowed,
            config=settings,
            mode=settings.mode,
            watch=Stopwatch(),
        )
        fused = candidates.fused(settings)
        if reranker is not None:
            ids = [hit.chunk_id for hit in fused.hits[: reader.config.rerank.depth]]
            reranker.scores(question, [chunk.indexed_text for chunk in engine.chunks(ids)])
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
