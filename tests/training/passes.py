"""One pass over the training rows: what is drawn, in which batches, all by a seed and the pass's number."""

from __future__ import annotations

import pickle
import random
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from tests.training.alterations import near_misses
from tests.training.rows import held_out_articles, read_rows, split, weighted
from tests.training.tokens import Encoded, encode

_POOL = 40  # batches whose groups are sorted by length together: little padding, and still a mixed order


def load_pass(folder: Path, data: Path, seed: int, number: int) -> list[list[Encoded]]:
    """The groups of a pass, from ``folder`` when it was made before."""
    kept = folder / f"pass-{seed}-{number}.pickle"
    if not kept.exists():
        made = _make_pass(data, seed, number)
        aside = kept.with_suffix(".part")
        aside.write_bytes(pickle.dumps(made, protocol=pickle.HIGHEST_PROTOCOL))
        aside.replace(kept)
    groups: list[list[Encoded]] = pickle.loads(kept.read_bytes())
    return groups


def _make_pass(data: Path, seed: int, number: int) -> list[list[Encoded]]:
    rows = read_rows(data / "train.jsonl.gz")
    train, _ = split(rows, held_out_articles(rows))
    rng = random.Random(f"{seed}/{number}")
    groups = [group + near_misses(group, rng) for group in weighted(train, rng)]
    encoded = iter(encode(list(chain.from_iterable(groups))))
    return [[next(encoded) for _ in group] for group in groups]


def batches(groups: Sequence[Sequence[Encoded]], most: int, tokens: int, seed: str) -> list[list[Encoded]]:
    """Groups in a drawn order, whole, cut into batches of at most ``tokens`` tokens of rows of at most ``most``."""
    rng = random.Random(seed)
    order = [list(group) for group in groups]
    rng.shuffle(order)
    pool = _POOL * tokens // most
    made: list[list[Encoded]] = []
    for start in range(0, len(order), pool):
        near = sorted(order[start : start + pool], key=lambda group: max(row.length(most) for row in group))
        cut = _cut(near, most, tokens)
        rng.shuffle(cut)
        made += cut
    return made


def _cut(groups: Sequence[list[Encoded]], most: int, tokens: int) -> list[list[Encoded]]:
    made: list[list[Encoded]] = []
    held: list[Encoded] = []
    for group in groups:
        widest = max(row.length(most) for row in [*held, *group])
        if held and widest * (len(held) + len(group)) > tokens:
            made.append(held)
            held = []
        held = held + group
    return [*made, held] if held else made


def count_rows(groups: Sequence[Sequence[Encoded]]) -> dict[str, int]:
    """How many rows of each kind a pass holds: ``answered`` and each kind of negative."""
    counts: dict[str, int] = {}
    for row in chain.from_iterable(groups):
        kind = "answered" if row.answerable else row.negative
        counts[kind] = counts.get(kind, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
