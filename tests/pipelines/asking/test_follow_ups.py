"""Follow-ups in conversations over the sample corpus, and how one of several readings is chosen."""

from __future__ import annotations

import pytest

from ragcli import Index
from ragcli.config import load
from tests.pipelines.asking.follow_ups import SAMPLE, verdicts


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("talk")
    made = Index(load(overrides={"index.path": str(folder / "index"), "ingest.ocr": "off"}, environ={}, cwd=folder))
    made.ingest(SAMPLE)
    return made


def test_three_of_four_are_right_and_none_misleads(index: Index) -> None:
    found = list(verdicts(index))
    assert len(found) == 40
    assert sum(one.right for one in found) >= 30
    assert [one.question for one in found if one.misleads] == []


def test_what_was_read_into_a_follow_up_is_said(index: Index) -> None:
    index.ask("What does E-4012 mean?", session="meters")
    answer = index.ask("What about E-4120?", session="meters").answer
    assert answer.standalone_question == "What does E-4120 mean?"
    assert answer.text.startswith("E-4120 means that the liquid is hotter than 90 degrees")


def test_a_short_question_is_asked_of_the_document_that_answered_before_and_that_is_said(index: Index) -> None:
    index.ask("What does E-7101 mean?", session="codes")
    answer = index.ask("What happens to old values?", session="codes").answer
    assert answer.text == "Values older than 14 days are overwritten [1]."
    assert answer.notices[0] == "asked of products/error-codes.md alone, where the answer before came from"
    assert index.traces.list()[-1].filters == ("source=products/error-codes.md",)


def test_an_answer_that_does_not_speak_of_what_was_brought_in_is_none(index: Index) -> None:
    index.ask("How many remote days per week can I take?", session="pets")
    assert not index.ask("And for parrots?", session="pets").answer.found


def test_a_word_of_thanks_asks_nothing(index: Index) -> None:
    index.ask("What is the home office allowance?", session="thanks")
    answer = index.ask("ok, thanks", session="thanks").answer
    assert (answer.found, answer.standalone_question) == (False, "ok, thanks")
