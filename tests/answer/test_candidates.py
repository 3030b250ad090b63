"""Which pieces of a passage may become an answer."""

from __future__ import annotations

from ragcli.answer.candidates import candidates
from ragcli.records import Chunk, Passage, Span


def texts(text: str) -> list[str]:
    chunk = Chunk("a.txt#1", "a.txt", 1, Span(0, len(text)), text, "Manual")
    passage = Passage(1, chunk, text, Span(0, len(text)), "a.txt")
    found = candidates([passage])
    for item in found:
        assert item.span.of(text).strip() == item.span.of(text)
    return [item.plain for item in found]


def test_an_underlined_title_is_no_answer() -> None:
    assert texts("NAME\n----\ngit-clean - Remove untracked files\n") == ["git-clean - Remove untracked files"]


def test_a_drawn_line_is_no_part_of_a_sentence() -> None:
    assert texts("Before it.\n\n----------\n$ git stash pop\n----------\n\nAfter it.") == [
        "Before it.",
        "$ git stash pop",
        "After it.",
    ]


def test_marks_of_asciidoc_are_not_read() -> None:
    assert texts("[[user-name]]\nWhat should I put in `user.name`?::\n\tYou should put your name.\n") == [
        "What should I put in user.name?",
        "You should put your name.",
    ]
