"""Batches of tokens, the losses over them and the measures of what is read."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.training.fitting import Plan
from tests.training.measuring import auc, cross_balanced
from tests.training.network import losses, span_margin
from tests.training.passes import batches
from tests.training.rows import Row
from tests.training.tokens import CLS, SEP, Encoded, encode, make_batch


def encoded(**changes: object) -> Encoded:
    made = Encoded(
        question=np.arange(1000, 1005), passage=np.arange(2000, 2100), first=70, last=72, answerable=True,
        group="g", set="s", negative="",
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


def test_the_marked_tokens_are_those_of_the_answer() -> None:
    passage = "Rollo, the Norse leader, swore fealty in 911."
    row = Row("r", "s", "g", "Who swore?", passage, "", "Norse leader", passage.index("Norse"), True, "")
    (read,) = encode([row])
    (whole,) = encode([replace(row, passage="Norse leader", start=0)])
    assert read.passage[read.first : read.last + 1].tolist() == whole.passage.tolist()


def test_a_window_holds_the_answer_and_no_more_tokens_than_allowed() -> None:
    for seed in range(30):
        batch = make_batch([encoded()], 40, random.Random(seed))
        assert batch.ids.shape == (1, 40)
        assert batch.ids[0, batch.first[0] : batch.last[0] + 1].tolist() == [2070, 2071, 2072]
        assert batch.ids[0, [0, 6, 39]].tolist() == [CLS, SEP, SEP]
        assert batch.types[0].tolist() == [0] * 7 + [1] * 33


def test_a_negative_has_no_place_and_an_answer_that_is_not_marked_is_left_out() -> None:
    rows = [encoded(answerable=False), encoded(first=-1, last=-1), encoded(passage=np.arange(2000, 2080))]
    batch = make_batch(rows, 200, None)
    assert batch.first.tolist() == [0, -1, 77]
    assert batch.mask.sum(1).tolist() == [108, 108, 88]


def test_a_negatives_window_is_drawn_towards_the_questions_words() -> None:
    passage = np.concatenate([np.arange(2000, 2090), np.arange(1000, 1005), np.arange(2090, 2095)])
    row = encoded(passage=passage, first=-1, last=-1, answerable=False)
    shown = [1004 in make_batch([row], 60, random.Random(seed)).ids[0, 7:] for seed in range(60)]
    assert sum(shown) / len(shown) > 0.35  # one draw in nine would show it, four draws more than a third


def test_the_ranking_loss_falls_as_the_answering_row_of_a_group_rises() -> None:
    rows = [encoded(), encoded(answerable=False), encoded(answerable=False, group="other")]
    batch = make_batch(rows, 200, None)
    ends = torch.zeros(3, batch.ids.shape[1], 2)
    even = losses(torch.tensor([0.0, 0.0, 9.0]), ends, batch)["ranks"]
    better = losses(torch.tensor([3.0, 0.0, 9.0]), ends, batch)["ranks"]
    assert even.item() == pytest.approx(np.log(2), abs=1e-6)
    assert better.item() == pytest.approx(np.log1p(np.exp(-3)), abs=1e-6)


def test_the_span_margin_is_of_the_best_span_in_order_and_of_bounded_length() -> None:
    ends = torch.zeros(1, 8, 2)
    ends[0, 5, 0], ends[0, 3, 1], ends[0, 6, 1] = 4.0, 9.0, 2.0
    assert span_margin(ends).item() == pytest.approx(9.0)  # from a token of 0 to the one of 9; 5 to 3 is no span
    assert span_margin(ends, longest=2).item() == pytest.approx(9.0)
    ends[0, 0] = 5.0
    assert span_margin(ends).item() == pytest.approx(-1.0)


def test_auc_counts_ties_half_and_balanced_abstention_cuts_each_half_by_the_other() -> None:
    labels = np.array([True, True, False, False])
    assert auc(np.array([2.0, 1.0, 1.0, 0.0]), labels) == 0.875
    separable = np.concatenate([np.linspace(1, 2, 40), np.linspace(-2, -1, 40)])
    assert cross_balanced(separable, separable > 0) > 0.94


def test_batches_hold_every_group_once_and_whole_within_their_tokens() -> None:
    groups = [[encoded(group=str(n), passage=np.arange(10 + n)) for _ in range(1 + n % 3)] for n in range(50)]
    made = batches(groups, 64, 512, "seed")
    assert sorted(row.group for batch in made for row in batch) == sorted(
        row.group for group in groups for row in group
    )
    for batch in made:
        assert max(row.length(64) for row in batch) * len(batch) <= 512
    homes = {
        row.group: {place for place, batch in enumerate(made) for other in batch if other.group == row.group}
        for batch in made
        for row in batch
    }
    assert all(len(places) == 1 for places in homes.values())


def test_the_rate_rises_stays_and_falls_to_nothing() -> None:
    plan = Plan(rows=1000, rate=1.0, warm_share=0.1, fall_share=0.2)
    assert [plan.rate_at(rows) for rows in (0, 50, 100, 800, 900, 1000)] == [0.0, 0.5, 1.0, 1.0, 0.5, 0.0]
    assert Plan(rows=1000, rate=1.0, fall_share=0.0).rate_at(999) == 1.0
