"""Which pieces of a passage may become an answer."""

from __future__ import annotations

from ragcli.answer.extract.candidates import Candidate, candidates
from ragcli.records import Chunk, Passage, Span
from tests.answer.passages import passage


def found_in(text: str, *headings: str, media_type: str = "") -> list[Candidate]:
    chunk = Chunk("a.txt#1", "a.txt", 1, Span(0, len(text)), text, "Manual", headings)
    passage = Passage(1, chunk, text, Span(0, len(text)), "a.txt", media_type=media_type)
    found = candidates([passage])
    for item in found:
        assert item.span.of(text).strip() == item.span.of(text)
    return found


def texts(text: str, media_type: str = "") -> list[str]:
    return [item.plain for item in found_in(text, media_type=media_type)]


def scored(text: str, *headings: str, media_type: str = "") -> list[str]:
    return [item.readable for item in found_in(text, *headings, media_type=media_type)]


def test_an_underlined_title_is_no_answer() -> None:
    assert texts("NAME\n----\ngit-clean - Remove untracked files\n") == ["git-clean - Remove untracked files"]


def test_a_drawn_line_is_no_part_of_a_sentence() -> None:
    assert texts("Before it.\n\n----------\ngit stash pop with care\n----------\n\nAfter it.") == [
        "Before it.",
        "git stash pop with care",
        "After it.",
    ]


def test_marks_of_asciidoc_are_not_read() -> None:
    text = "[[user-name]]\nWhat should I put in `user.name`?::\n\tYou should put your name.\n"
    assert texts(text, "text/asciidoc") == [
        "What should I put in user.name?",
        "You should put your name.",
    ]


def test_comments_of_code_are_no_headings_and_its_bars_no_tables() -> None:
    assert texts("# Retries three times.\n\n| grep x\n", "text/x-code-sh") == ["# Retries three times.", "| grep x"]


def test_directives_and_targets_are_no_text() -> None:
    text = ".. _setup:\n\nInstall it first.\n\n.. code-block:: sh\n\n   pip install x\n"
    assert texts(text, "text/x-rst")[0] == "Install it first." and not any(
        ".." in one for one in texts(text, "text/x-rst")
    )


def test_an_answer_is_scored_with_its_question_and_shown_without() -> None:
    text = (
        "**Q:** How do I reset it?\n**A:** Press the button. It clicks.\n\n"
        "**Q:** Why?\n\nA: It hangs.\n\n## Parts\n\nTen."
    )
    assert texts(text)[1:3] == ["Press the button.", "It clicks."]
    assert scored(text)[1:3] == ["How do I reset it? Press the button.", "How do I reset it? It clicks."]
    assert scored(text)[4:] == ["Why? It hangs.", "Ten."]


def test_a_term_that_asks_heads_its_description() -> None:
    text = "[[user-name]]\nWhat should I put in `user.name`?::\n\tYou should put your name.\n+\nNothing else."
    assert scored(text, media_type="text/asciidoc")[1:] == [
        "What should I put in user.name? You should put your name.",
        "What should I put in user.name? Nothing else.",
    ]


def test_a_heading_that_asks_heads_what_stands_below() -> None:
    assert scored("Two days.\n\n## And interns?\n\nOne day.", "FAQ", "How often?") == [
        "How often? Two days.",
        "And interns? One day.",
    ]


def test_a_question_in_running_text_heads_nothing() -> None:
    assert scored("Why so slow? The pump is old. It leaks.") == ["Why so slow?", "The pump is old.", "It leaks."]


def test_no_sentence_ends_inside_a_link() -> None:
    assert texts("See [the guide](https://a.example/what? Is it.html) first. Then go.") == [
        "See the guide first.",
        "Then go.",
    ]


def test_code_is_read_under_the_sentence_that_leads_to_it() -> None:
    text = "Drop it with:\n\n```sh\ngit stash drop\n```\nThen look. Again.\n\n```\nx = 1. Y = 2\n```\n\n$ ls -l\n"
    assert texts(text) == ["Drop it with:", "git stash drop", "Then look.", "Again."]
    assert scored(text)[1] == "Drop it with: git stash drop"


def test_a_passage_cut_within_code_keeps_its_prose() -> None:
    assert texts("x = 1\n```\n\nThen look. Again.") == ["x = 1", "Then look.", "Again."]


def test_code_is_read_under_a_heading_too_and_lines_set_in_under_a_lead_in_of_rst() -> None:
    markdown = "## Installation\n\n```\npip install tide\n```\n"
    assert texts(markdown, media_type="text/markdown") == ["pip install tide"]
    rst = "Set its address:\n\n.. code-block:: toml\n\n   hook = 1\n\nThen look."
    assert [item.kind for item in found_in(rst, media_type="text/x-rst")] == ["sentence", "code", "sentence"]


def test_the_title_of_a_callout_heads_what_stands_in_it_and_no_more() -> None:
    text = "## Can I pay?\n\n> [!warning] Allergy\n> Allergic to nuts.\n\nYes, by card.\n\n#friend #climbing/hall\n"
    assert [(one.plain, one.topic) for one in candidates((passage(1, text, "a.md"),))] == [
        ("Allergic to nuts.", "Allergy"),
        ("Yes, by card.", "Can I pay?"),
    ]


def test_what_a_quotation_asks_heads_nothing_after_it() -> None:
    text = "> [!question] Open\n> Which paint holds?\n> Perhaps oil.\n\nWood comes from a mill.\n"
    assert [(one.plain, one.topic) for one in candidates((passage(1, text, "a.md"),))] == [
        ("Which paint holds?", ""),
        ("Perhaps oil.", "Which paint holds?"),
        ("Wood comes from a mill.", ""),
    ]


def test_a_fact_of_the_front_matter_says_something_by_itself() -> None:
    text = "phone: +44 20\n\nnicknames:\n  - Tommy\nrole: coach\n\n# Tomas\n\nWorks here.\nAnd there.\n"
    found = candidates((passage(1, text, "a.md"),))
    assert [one.plain for one in found] == [
        "phone: +44 20",
        "nicknames:",
        "Tommy",
        "role: coach",
        "Works here.",
        "And there.",
    ]
    assert [one.plain for one in candidates((passage(1, "Note: do\nnot enter.\n\nEver.", "a.md"),))] == [
        "Note: do not enter.",
        "Ever.",
    ]
