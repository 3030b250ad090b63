"""Whether the reader orders passages better than the first stage: paired nDCG@10 on golden sets of prose.

    python -m tests.training.reranking RUN_FOLDER --keep INDEXES scifact cranfield …

The first ``DEPTH`` passages of the hybrid search are read by ``RUN_FOLDER/reader-int8.onnx``, and its scores and the
first stage's, each brought to mean 0 and deviation 1 within the question, are added by a weight. Printed for each
weight: nDCG@10, the mean difference to weight 0 and its 95 % interval by bootstrap over the questions.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragcli.config import Config, load
from ragcli.embed.loading import load_embedder
from ragcli.index.folder import IndexFolder
from ragcli.retrieve.search import retrieve
from tests.benchmarks.retrieval import SCOPE, build, golden_folder, read_cases, score
from tests.training.export import onnx_read
from tests.training.measuring import Read, read_all
from tests.training.rows import Row
from tests.training.tokens import encode

DEPTH, MOST_TOKENS = 20, 192
WEIGHTS = (0.0, 0.1, 0.2, 0.35, 0.5, 1.0, 1e6)
_DRAWS = 2000


@dataclass(frozen=True)
class Candidates:
    """A question's first passages, best first, and the documents that it should find."""

    question: str
    wanted: list[str]
    documents: list[str]
    texts: list[str]
    scores: list[float]


def candidates(name: str, config: Config, keep: Path) -> list[Candidates]:
    """The candidates of every question of a golden set; kept beside its index, for the search does not change."""
    kept = keep / f"{name}-candidates.json"
    if not kept.exists():
        found = [vars(one) for one in _search(name, config, keep)]
        kept.write_text(json.dumps(found), encoding="utf-8")
    return [Candidates(**fields) for fields in json.loads(kept.read_text(encoding="utf-8"))]


def _search(name: str, config: Config, keep: Path) -> list[Candidates]:
    folder, embedder = golden_folder(name), load_embedder(config.embed)
    index = IndexFolder(keep / name)
    build(index, folder, config, embedder)
    engine = index.open()
    made = []
    for case in read_cases(folder):
        if not case["expected_sources"]:
            continue
        hits = retrieve(
            case["question"], engine=engine, embedder=embedder, reranker=None, scope=SCOPE, config=config.retrieve,
            rerank=config.rerank, mode="hybrid",
        ).hits[:DEPTH]  # fmt: skip
        made.append(
            Candidates(
                case["question"],
                case["expected_sources"],
                [hit.chunk.doc_id.rpartition("!")[2] for hit in hits],
                [hit.chunk.text for hit in hits],
                [hit.score for hit in hits],
            )
        )
    return made


def read_scores(read: Read, found: Sequence[Candidates]) -> list[NDArray[np.float64]]:
    """The reader's score of every candidate."""
    rows = [
        Row(str(place), "", str(place), one.question, text, "", "", -1, False, "")
        for place, one in enumerate(found)
        for text in one.texts
    ]
    scores, _ = read_all(read, encode(rows), MOST_TOKENS)
    ends = np.cumsum([len(one.texts) for one in found])
    return np.split(scores, ends[:-1])


def fused_gain(one: Candidates, read: NDArray[np.float64], weight: float) -> float:
    """nDCG@10 of the documents in the order of both scores."""
    total = _standard(np.asarray(one.scores)) + weight * _standard(read)
    order = sorted(range(len(total)), key=lambda place: (-total[place], place))
    return score(list(dict.fromkeys(one.documents[place] for place in order)), set(one.wanted))["nDCG@10"]


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    deviation = values.std() if len(values) else 0.0
    return (values - values.mean()) / deviation if deviation > 0 else np.zeros(len(values))


def interval(differences: NDArray[np.float64], seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of the mean by bootstrap."""
    drawn = np.random.default_rng(seed).integers(0, len(differences), (_DRAWS, len(differences)))
    low, high = np.quantile(differences[drawn].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def main() -> None:
    """Prints a line for each set and weight."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--keep", type=Path, required=True, help="folder that holds the indexes")
    given = parser.parse_args()
    given.keep.mkdir(parents=True, exist_ok=True)
    config = load(overrides={"retrieve.k": 50}, cwd=given.keep)
    read = onnx_read(given.run / "reader-int8.onnx")
    for name in given.sets:
        found = candidates(name, config, given.keep)
        scores = read_scores(read, found)
        before = np.array([fused_gain(one, scored, 0.0) for one, scored in zip(found, scores, strict=True)])
        for weight in WEIGHTS:
            after = np.array([fused_gain(one, scored, weight) for one, scored in zip(found, scores, strict=True)])
            low, high = interval(after - before)
            print(
                f"{name:16} n={len(found):4} weight {weight:<9g} nDCG@10 {after.mean():.4f}"
                f"  {(after - before).mean():+.4f} [{low:+.4f}, {high:+.4f}]",
                flush=True,
            )


if __name__ == "__main__":
    main()
