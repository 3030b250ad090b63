"""Which rows are trained on, and how near misses are made of them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.training.alterations import altered_question, near_misses, opposite, other_name, other_number, without_answer
from tests.training.rows import Row, held_out_articles, split, weighted

PASSAGE = (
    "The Normans gave their name to Normandy. In 911 the treaty of Saint-Clair-sur-Epte was made between King Charles"
    " and the leader Rollo. Their descendants took Sicily in 1091, and held the island for a century and a half."
)


def row(**changes: object) -> Row:
    made = Row(
        row_id="r1", set="squad2_open", group="squad2_open/g1", question="When did King Charles make a treaty first?",
        passage=PASSAGE, title="Normans", answer="911", start=PASSAGE.index("911"), answerable=True, negative="",
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


def test_half_of_the_asked_articles_are_held_out_whatever_the_order() -> None:
    rows = [row(title=title, group=f"squad2_open/{title}") for title in "abcdef"]
    distractor = row(title="z", answerable=False, negative="bm25")
    held_out = held_out_articles([*rows, distractor])
    assert len(held_out) == 3
    assert held_out == held_out_articles([distractor, *reversed(rows)])
    assert "z" not in held_out


def test_no_group_with_a_passage_of_a_held_out_article_is_trained_on() -> None:
    kept = row(title="a", group="squad2_open/1")
    mixed = [row(title="a", group="mlqa_en_dev/2", set="mlqa_en_dev"), row(title="b", group="mlqa_en_dev/2")]
    asked = [row(title="b", group="squad2_open/3"), row(title="b", group="squad2_open/3", negative="bm25")]
    train, measured = split([kept, *mixed, *asked], frozenset({"b"}))
    assert train == [kept]
    assert measured == asked[:1]


def test_a_set_is_repeated_whole_and_a_set_without_a_share_is_left_out() -> None:
    left_out = row(set="ropes", group="ropes/1")
    drawn = weighted([row(), left_out], random.Random(0))
    assert drawn == [[row()], [row()]]


@pytest.mark.parametrize(
    ("rule", "word"), [(other_name, "King Charles"), (opposite, "first")], ids=["name", "opposite"]
)
def test_a_rule_changes_what_the_question_asks_for(rule: object, word: str) -> None:
    changed = rule(row(), random.Random(0))  # type: ignore[operator]
    assert changed is not None
    assert word not in changed
    assert word in row().question


def test_another_number_is_neither_the_old_one_nor_the_answer() -> None:
    asked = row(question="Who took Sicily in 1091?", answer="Their descendants", start=PASSAGE.index("Their desc"))
    for seed in range(20):
        changed = other_number(asked, random.Random(seed))
        assert changed is None or ("1091" not in changed and changed.startswith("Who took Sicily in "))


def test_an_altered_question_is_a_negative_of_the_same_group_that_keeps_the_place_of_the_old_answer() -> None:
    changed = altered_question(row(), random.Random(1))
    assert changed is not None
    assert (changed.group, changed.passage, changed.start) == (row().group, PASSAGE, row().start)
    assert not changed.answerable
    assert not changed.has_span
    assert changed.negative


def test_the_answers_sentence_is_taken_out_with_every_other_that_names_it() -> None:
    taken = without_answer(row(passage=PASSAGE + " A feast is kept for 911 still."), least_words=5)
    assert taken is not None
    assert "911" not in taken.passage
    assert taken.passage.startswith("The Normans gave their name to Normandy. Their descendants")
    assert taken.start == -1
    assert without_answer(row(), least_words=50) is None


def test_near_misses_come_from_rows_with_a_marked_answer_alone() -> None:
    unmarked = row(answer="", start=-1)
    assert near_misses([unmarked], random.Random(0), 1.0, 1.0) == []
    made = near_misses([row()], random.Random(0), 1.0, 1.0)
    assert len(made) >= 1
    assert not any(miss.answerable for miss in made)
