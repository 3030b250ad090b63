"""What a question asks for."""

from __future__ import annotations

import pytest

from ragcli.answer.extract.questions import wanted


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How long does a refund take?", "duration"),
        ("How often may I work from home?", "duration"),
        ("How often per minute may a script call the API?", "number"),
        ("What is the greatest flow the X200 can measure?", "number"),
        ("What is the maximum allowed speed?", "number"),
        ("How many people work here?", "number"),
        ("What does the X200-B cost?", "money"),
        ("How expensive may a room be?", "money"),
        ("What does a team lead earn?", "money"),
        ("By what time must I call?", "date"),
        ("Until when may I use up my holidays?", "date"),
        ("Wie lang ist die Probezeit?", "duration"),
        ("Who approves it?", "person"),
        ("Where do we gather?", "place"),
        ("What are the steps?", "list"),
        ("What is the largest animal?", "any"),
        ("Why is it slow?", "any"),
    ],
)
def test_the_kind_of_fact(question: str, kind: str) -> None:
    assert wanted(question) == kind
