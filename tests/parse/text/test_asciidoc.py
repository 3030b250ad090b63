"""AsciiDoc: titles of one and of two lines, and nothing inside a block is one."""

from __future__ import annotations

import pytest

from ragcli.parse.text.asciidoc import asciidoc_headings, asciidoc_literals, looks_like_asciidoc
from ragcli.parse.text.text_markup import HEADINGS
from tests.parse.builders import parse_one, shape

MANUAL = """git-rebase(1)
=============

NAME
----
git-rebase - Reapply commits

[[options]]
OPTIONS[[OPTS]]
---------------
--onto <newbase>::
	Starting point.

Merge *strategies*
~~~~~~~~~~~~~~~~~~
Run:

------------
# Branch: report-a-bug
$ git rebase
= not a title
Fix
---
------------

Deep
^^^^

....
Literal
-------
....

Deeper
++++++

++++
<b>
== raw
++++

====
Note
====

````
not closed by three

== Last *one* ==
"""


def _titles(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in asciidoc_headings(text)]


def test_titles_of_every_level_and_none_from_a_block() -> None:
    assert _titles(MANUAL) == [
        (1, "git-rebase(1)"),
        (2, "NAME"),
        (2, "OPTIONS"),
        (3, "Merge strategies"),
        (4, "Deep"),
        (5, "Deeper"),
        (2, "Last one"),
    ]


def test_literal_blocks_hold_their_delimiters() -> None:
    literals = [span.of(MANUAL).split("\n") for span in asciidoc_literals(MANUAL)]
    assert [(lines[0], lines[-1], len(lines)) for lines in literals] == [
        ("------------", "------------", 7),
        ("....", "....", 4),
        ("++++", "++++", 4),
    ]


@pytest.mark.parametrize(
    ("underline", "is_title"),
    [("-" * 5, False), ("-" * 6, True), ("-" * 8, True), ("-" * 10, True), ("-" * 11, False)],
)
def test_an_underline_is_as_long_as_its_title_give_or_take_two(underline: str, is_title: bool) -> None:
    assert bool(_titles(f"Branches\n{underline}\n\ntext\n")) is is_title


def test_a_line_within_a_paragraph_is_no_title() -> None:
    assert _titles("some text goes\n= on here\nand on\n------\n") == []


def test_a_fence_and_a_row_that_nearly_fits() -> None:
    assert _titles("```\n# comment\n```\n\n-----\n# comment\n------\n\n== Real\n") == [(2, "Real")]


def test_a_text_file_with_asciidoc_in_it_is_read_as_such() -> None:
    document = parse_one("git-rebase.txt", MANUAL.encode())
    assert document.media_type == "text/asciidoc"
    assert document.title == "git-rebase(1)"
    assert [block[2].split("\n")[0] for block in shape(document) if block[0] == "code"] == [
        "------------",
        "....",
        "++++",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Parking\n=======\n\nOne car each.\n\nHours\n-----\n\nSix to ten.\n",
        ".. note:: x\n\nlike this::\n\n    code\n\n:field: value\n\n<<x>>\n",
        "std::cout << x;\n",
    ],
)
def test_other_texts_are_not_taken_for_asciidoc(text: str) -> None:
    assert not looks_like_asciidoc(text)


@pytest.mark.parametrize(
    ("name", "text", "titles"),
    [
        ("a.txt", "# Title\n\n```\n# comment\n```\n\n----\n$ ls\n----\n", ["Title"]),
        ("a.org", "* One\n#+BEGIN_SRC sh\n* two\n#+END_SRC\n* Three\n", ["One", "Three"]),
        (
            "a.tex",
            "\\section{One}\n\\begin{verbatim}\n\\section{two}\n\\end{verbatim}\n\\section{Three}\n",
            ["One", "Three"],
        ),
    ],
)
def test_code_in_other_markup_holds_no_titles(name: str, text: str, titles: list[str]) -> None:
    document = parse_one(name, text.encode())
    assert [section.heading_path[-1] for section in document.sections] == titles


def test_a_term_and_its_description_are_one_block() -> None:
    source = (
        "= Options\n\n-a::\n--all::\n\n\tStage {all} files.\n\nlist::\n\n* one\n\nraw::\n\n----\nx\n----\n\nlast;;\n"
    )
    document = parse_one("o.adoc", source.encode())
    assert shape(document)[1:] == [
        ("paragraph", None, "-a::\n--all::\n\n\tStage {all} files."),
        ("paragraph", None, "list::"),
        ("list_item", 1, "* one"),
        ("paragraph", None, "raw::"),
        ("code", None, "----\nx\n----"),
        ("paragraph", None, "last;;"),
    ]
    assert ("code", None, "\tStage {all} files.") in shape(parse_one("o.rst", source.encode()))


def test_an_org_heading_with_a_long_run_of_blanks_is_read() -> None:
    text = "* One" + " " * 40_000 + "two :tag:\n* Three\n"  # hangs when its tail is tried at every blank
    assert [heading.title.split() for heading in HEADINGS["text/org"](text)] == [["One", "two"], ["Three"]]


FARES = """= Fares

.Fares of 2026
[cols="1,1,1",options="header"]
|===
|Zone 2+|Weekday

.2+|In
|4.10 |2.00
|4.40
|2.20 a\\|b
|===

After.
"""


def test_a_table_has_the_form_of_all_tables_and_the_lines_stay() -> None:
    document = parse_one("fares.adoc", FARES.encode())
    lines = document.text.split("\n")
    start = lines.index("Fares of 2026")
    assert [line for line in lines[start:] if line] == [
        "Fares of 2026",
        "| Zone | Weekday | Weekday |",
        "| --- | --- | --- |",
        "| In | 4.10 | 2.00 |",
        "| In | 4.40 | 2.20 a\\|b |",
        "After.",
    ]
    assert lines.index("After.") == FARES.split("\n").index("After.")
    assert [kind for kind, _, _ in shape(document)].count("table") == 1


@pytest.mark.parametrize(
    "source",
    [
        "----\n|===\n|a |b\n|===\n----",
        '[format="csv"]\n|===\na,b\n|===',
        "|===\n|a |b",
        "|===\nno cells\n|===",
    ],
)
def test_what_is_no_table_stays_as_it_is(source: str) -> None:
    assert source in parse_one("a.adoc", f"= Title\n\n{source}\n".encode()).text
