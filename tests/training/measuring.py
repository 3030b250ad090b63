"""What a reader gets right on rows it was not trained on."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from tests.training.network import Reader, span_margin, tensors
from tests.training.rows import Row, held_out_articles, read_rows, split
from tests.training.tokens import Batch, Encoded, encode, make_batch

Scores = NDArray[np.float64]
Read = Callable[[Batch], tuple[Scores, Scores]]


@dataclass(frozen=True)
class Measured:
    """Rows to measure on, by name: ``squad2`` (held-out articles) and ``dev``."""

    sets: Mapping[str, list[Encoded]]


def load_measured(data: Path, most_rows: int | None = None, seed: int = 7) -> Measured:
    """The held-out rows and the development rows, of each at most ``most_rows``, drawn by ``seed``."""
    rows = read_rows(data / "train.jsonl.gz")
    _, squad2 = split(rows, held_out_articles(rows))
    dev = read_rows(data / "dev.jsonl.gz")
    return Measured({"squad2": _encoded(squad2, most_rows, seed), "dev": _encoded(dev, most_rows, seed)})


def _encoded(rows: Sequence[Row], most_rows: int | None, seed: int) -> list[Encoded]:
    drawn = list(rows)
    if most_rows is not None and len(drawn) > most_rows:
        drawn = random.Random(seed).sample(drawn, most_rows)
    return encode(drawn)


def auc(scores: Scores, labels: NDArray[np.bool_]) -> float:
    """The chance that a row that answers scores above one that does not, ties half; nan without both kinds."""
    right, wrong = scores[labels], np.sort(scores[~labels])
    if not len(right) or not len(wrong):
        return float("nan")
    below, upto = np.searchsorted(wrong, right, "left"), np.searchsorted(wrong, right, "right")
    return float((below + upto).mean() / 2 / len(wrong))


def balanced(scores: Scores, labels: NDArray[np.bool_], threshold: float) -> float:
    """The mean of the shares kept of rows that answer and declined of those that do not, at ``threshold``."""
    return float(((scores[labels] >= threshold).mean() + (scores[~labels] < threshold).mean()) / 2)


def torch_read(model: Reader) -> Read:
    """Reads batches by torch, in bfloat16."""

    def read(batch: Batch) -> tuple[Scores, Scores]:
        model.eval()
        with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
            scores, ends = model(*tensors(batch))
        return scores.double().numpy(), span_margin(ends).double().numpy()

    return read


def read_all(read: Read, rows: Sequence[Encoded], most: int, size: int = 16) -> tuple[Scores, Scores]:
    """Scores and span margins of every row, in their order; rows are read by length."""
    order = sorted(range(len(rows)), key=lambda place: (rows[place].length(most), place))
    scores, margins = np.zeros(len(rows)), np.zeros(len(rows))
    for start in range(0, len(order), size):
        places = order[start : start + size]
        scores[places], margins[places] = read(make_batch([rows[place] for place in places], most, None))
    return scores, margins


def measure(read: Read, measured: Measured, most: int = 256) -> dict[str, float]:
    """By set, AUC of the score, of the span margin and of both, and balanced abstention by both."""
    found: dict[str, float] = {}
    for name, rows in measured.sets.items():
        scores, margins = read_all(read, rows, most)
        labels = np.array([row.answerable for row in rows])
        both = scores + margins / 2
        found |= {f"{name} score": auc(scores, labels), f"{name} margin": auc(margins, labels)}
        found |= {f"{name} both": auc(both, labels), f"{name} balanced": cross_balanced(both, labels)}
    return found


def cross_balanced(scores: Scores, labels: NDArray[np.bool_], seed: int = 3) -> float:
    """Balanced abstention where each half of the rows is cut at the threshold that is best on the other."""
    order = np.random.default_rng(seed).permutation(len(scores))
    halves = (order[::2], order[1::2])
    shares = []
    for fitted, kept in (halves, halves[::-1]):
        best = max(np.unique(scores[fitted]), key=lambda cut: balanced(scores[fitted], labels[fitted], cut))
        shares.append(balanced(scores[kept], labels[kept], best))
    return float(np.mean(shares))


def by_set(read: Read, rows: Sequence[Encoded], most: int = 256) -> dict[str, float]:
    """AUC of the score within each set."""
    scores, _ = read_all(read, rows, most)
    labels, sets = np.array([row.answerable for row in rows]), np.array([row.set for row in rows])
    return {name: auc(scores[sets == name], labels[sets == name]) for name in sorted(set(sets))}
