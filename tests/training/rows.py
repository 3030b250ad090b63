"""The rows a reader is trained and measured on: a question, a passage, and whether the passage answers it.

The articles of SQuAD 2.0 are split once, by a seed. No group with a passage of a held-out article is trained on, from
whatever set it comes, for XQuAD asks about the same articles.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HELD_OUT_SET = "squad2_open"
_SPLIT_SEED = 19

# How often a row of a set stands in one pass. Prose of encyclopaedias with marked spans is nearest to what is measured;
# yes/no questions teach a small model little, and the two-part passages of ROPES nothing.
REPEATS: Mapping[str, float] = {
    "squad2_open": 2.0, "squad1_train_slice": 1.0, "squad1_train_sentence": 1.0, "squad1_nqg_window": 0.5,
    "xquad_en_open": 1.0, "mlqa_en_dev": 1.0, "tydiqa_en": 1.0, "nq_open_gold": 1.0, "nq_qed": 1.0, "quoref": 1.0,
    "selqa": 1.0, "clapnq": 1.0, "hotpotqa": 1.0, "ramdocs": 0.5, "covid_qa": 0.5, "bioasq": 0.5, "pubmedqa_open": 0.5,
    "fairytaleqa": 0.4, "medquad": 0.3, "boolq_dev": 0.2, "ropes": 0.0,
}  # fmt: skip
# Neighbours by BM25 without the answer are the easiest of the negatives and the most numerous.
EASY_SHARE: Mapping[str, float] = {"bm25": 0.5}


@dataclass(frozen=True)
class Row:
    """A question and a passage. ``start`` is the answer's first character in the passage, -1 when none is marked."""

    row_id: str
    set: str
    group: str
    question: str
    passage: str
    title: str
    answer: str
    start: int
    answerable: bool
    negative: str

    @property
    def has_span(self) -> bool:
        """Whether the characters that answer are marked."""
        return self.answerable and self.start >= 0 and bool(self.answer)


def read_rows(path: Path) -> list[Row]:
    """Every row of a ``.jsonl.gz`` file, in its order."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [_row(json.loads(line)) for line in lines]


def _row(fields: Mapping[str, Any]) -> Row:
    marked = fields["answerable"] and fields["span"] in ("short", "sentence")
    return Row(
        row_id=fields["id"],
        set=fields["set"],
        group=f"{fields['set']}/{fields['group']}",
        question=fields["question"],
        passage=fields["passage"],
        title=fields["title"],
        answer=fields["answer"] if marked else "",
        start=fields["start"] if marked else -1,
        answerable=fields["answerable"],
        negative=fields.get("neg") or "",
    )


def held_out_articles(rows: Iterable[Row]) -> frozenset[str]:
    """Half of the SQuAD 2.0 articles that questions are asked about, drawn by a fixed seed."""
    asked = sorted({row.title for row in rows if row.set == HELD_OUT_SET and row.negative in ("", "unanswerable")})
    return frozenset(random.Random(_SPLIT_SEED).sample(asked, len(asked) // 2))


def by_group(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each group, in the order of their first row."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.group].append(row)
    return dict(groups)


def split(rows: Sequence[Row], held_out: frozenset[str]) -> tuple[list[Row], list[Row]]:
    """Rows to train on, and the SQuAD 2.0 rows asked about the held-out articles. Mixed groups are in neither."""
    train: list[Row] = []
    measured: list[Row] = []
    for group in by_group(rows).values():
        if not any(row.title in held_out for row in group):
            train += group
        elif group[0].set == HELD_OUT_SET:
            measured += [row for row in group if row.title in held_out and row.negative in ("", "unanswerable")]
    return train, measured


def weighted(rows: Iterable[Row], rng: random.Random) -> list[list[Row]]:
    """The groups of one pass: each set in its share, a group drawn whole, with its easy negatives thinned."""
    drawn: list[list[Row]] = []
    for group in by_group(rows).values():
        share = REPEATS[group[0].set]
        times = int(share) + (rng.random() < share % 1)
        for _ in range(times):
            kept = [row for row in group if rng.random() < EASY_SHARE.get(row.negative, 1.0)]
            if kept:
                drawn.append(kept)
    return drawn
