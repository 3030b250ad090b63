"""Retrieval quality on golden sets, through the product: ingest, chunk, index, search.

    python -m tests.benchmarks.retrieval --keep FOLDER scifact squad2 …
    python -m tests.benchmarks.retrieval --keep FOLDER --set retrieve.fusion=rrf --modes hybrid scifact

A set is a folder of golden sets with ``golden.jsonl`` and ``docs/`` or ``corpus.jsonl``, or the folder of such a
folder named by path; a ranking of documents is that of their first chunks. ``--keep`` holds the indexes between runs.
Prints nDCG@10, R@5, R@10, RR@10 and Hit@1 per mode and the milliseconds of a search.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragcli.config import Config, load
from ragcli.embed.loading import load_embedder
from ragcli.index.folder import IndexFolder
from ragcli.interfaces import Embedder, Engine
from ragcli.pipelines.building.chunk import chunk
from ragcli.pipelines.building.index import build_index
from ragcli.pipelines.ingesting.ingest import ingest
from ragcli.records import Scope
from ragcli.retrieve.rerank import load_reranker
from ragcli.retrieve.search import retrieve

SHARED = Path(os.environ.get("RAGCLI_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
SCOPE = Scope(include_superseded=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--keep", type=Path, required=True, help="folder that holds the indexes")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    parser.add_argument("--modes", nargs="+", default=["bm25", "dense", "hybrid"])
    parser.add_argument("--limit", type=int, default=0, help="questions per set; 0 means all")
    arguments = parser.parse_args()
    overrides = dict(item.split("=", 1) for item in arguments.set)
    config = load(overrides={key: _value(text) for key, text in overrides.items()}, cwd=arguments.keep)
    for name in arguments.sets:
        measure(name, config, arguments)


def measure(name: str, config: Config, arguments: argparse.Namespace) -> None:
    """Build the set's index if it is not there, then print a line per mode."""
    folder, embedder = golden_folder(name), load_embedder(config.embed)
    index = IndexFolder(arguments.keep / folder.name)
    build(index, folder, config, embedder)
    cases = [case for case in read_cases(folder) if case["expected_sources"]][: arguments.limit or None]
    vectors = QuestionVectors(embedder, [case["question"] for case in cases])
    engine = index.open()
    for mode in arguments.modes:
        started = time.perf_counter()
        runs = [search(case["question"], engine, vectors, config, mode) for case in cases]
        seconds = time.perf_counter() - started
        scores = [score(documents, set(case["expected_sources"])) for documents, case in zip(runs, cases, strict=True)]
        print(f"{folder.name:16} {mode:7} n={len(cases):4} " + summary(scores, seconds), flush=True)


def build(index: IndexFolder, folder: Path, config: Config, embedder: Embedder) -> None:
    """Ingest, chunk and publish, incrementally."""
    source = folder / "corpus.jsonl" if (folder / "corpus.jsonl").exists() else folder / "docs"
    with index.writer() as writer:
        ingested = ingest([source], config=config, writer=writer)
        chunked = chunk(config=config, writer=writer, embedder=embedder)
        built = build_index(config=config, writer=writer, embedder=embedder, progress=_report)
    print(
        f"{folder.name}: {ingested.added} documents added, {chunked.chunks} chunks, {built.embedded} embedded",
        file=sys.stderr,
    )


def golden_folder(name: str) -> Path:
    return Path(name) if "/" in name else SHARED / "golden" / name


def read_cases(folder: Path) -> list[dict[str, Any]]:
    with (folder / "golden.jsonl").open(encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    return [{**case, "question": case["question"].strip()} for case in cases]


class QuestionVectors:
    """The embedder with the questions embedded beforehand, in one batch."""

    def __init__(self, embedder: Embedder, questions: Sequence[str]) -> None:
        self._embedder = embedder
        self._rows = dict(zip(questions, embedder.queries(questions), strict=True))

    def queries(self, texts: Sequence[str]) -> Any:
        return [self._rows[text] for text in texts]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)


def search(question: str, engine: Engine, embedder: Any, config: Config, mode: Any) -> list[str]:
    """Names of the documents found, best first."""
    reranker = load_reranker(config.rerank, lambda: embedder)
    settings = dataclasses.replace(config.retrieve, k=max(config.retrieve.k, 50))
    found = retrieve(
        question,
        engine=engine,
        embedder=embedder,
        reranker=reranker,
        scope=SCOPE,
        config=settings,
        rerank=config.rerank,
        mode=mode,
    )
    return list(dict.fromkeys(_name(hit.chunk.doc_id) for hit in found.hits))


def _name(doc_id: str) -> str:
    return doc_id.rpartition("!")[2]


def score(documents: Sequence[str], wanted: set[str]) -> Mapping[str, float]:
    """nDCG@10 with binary gains, R@5, R@10, RR@10 and Hit@1 of one ranking."""
    places = [place for place, document in enumerate(documents[:10]) if document in wanted]
    gain = sum(1 / math.log2(place + 2) for place in places)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(wanted))))
    return {
        "nDCG@10": gain / ideal,
        "R@5": len([place for place in places if place < 5]) / len(wanted),
        "R@10": len(places) / len(wanted),
        "RR@10": 1 / (places[0] + 1) if places else 0.0,
        "Hit@1": float(bool(places) and places[0] == 0),
    }


def summary(scores: Sequence[Mapping[str, float]], seconds: float) -> str:
    means = {name: statistics.fmean(score[name] for score in scores) for name in scores[0]}
    parts = [f"{name}={mean:.4f}" for name, mean in means.items()]
    return " ".join(parts) + f"  {1000 * seconds / len(scores):.2f} ms a search"


def _report(stage: str, done: int, total: int) -> None:
    if done % 1024 == 0 or done == total:
        print(f"  {stage} {done}/{total}", file=sys.stderr, flush=True)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


if __name__ == "__main__":
    main()
