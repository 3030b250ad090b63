"""Markup as its reader sees it: reStructuredText, notes of Obsidian, tables that name their separator."""

from __future__ import annotations

import re
import time

import pytest

from ragcli.config import IngestConfig
from tests.parse.builders import parse_bytes, parse_one, shape

GUIDE = """\
Relay guide
===========

.. _relay-guide:
.. _forum: https://forum.example/relay
.. |product| replace:: Quillon
   Relay
.. |tick| image:: yes.png
   :alt: yes
.. internal: never shown

Start |product| with care, see the `forum`_. |unknown| stays.

.. warning:: Never open the
   valve under |product|.

.. note::
   :class: wide

   The key is in room 4.

   .. code-block:: sh

      relay --start |product|

.. versionadded:: 3.1
   Sign in once.

.. figure:: map.png
   :alt: Map of the depot

   Where the depot is.

Type this::

    .. note:: is literal

Last line.
"""


def test_a_guide_reads_as_it_is_set_and_keeps_its_lines() -> None:
    documents, reports = parse_bytes("guide.rst", GUIDE.encode())
    (document,) = documents
    assert "Start Quillon Relay with care, see the `forum`_. |unknown| stays." in document.text
    assert "Warning: Never open the\nvalve under Quillon Relay." in document.text
    assert "Note:" in document.text and ":class:" not in document.text and "\nThe key is in room 4." in document.text
    assert "relay --start |product|" in document.text
    assert "Added in version 3.1\nSign in once." in document.text
    assert "Picture: Map of the depot" in document.text and "Where the depot is." in document.text
    assert "forum: https://forum.example/relay" in document.text and "relay-guide" not in document.text
    assert "never shown" not in document.text and "comments" in reports[-1].warnings[0]
    assert ("code", None, "    .. note:: is literal") in shape(document)
    assert document.text.split("\n").index("Last line.") == GUIDE.split("\n").index("Last line.")
    assert document.first_line == 1
    read = parse_one("guide.rst", GUIDE.encode(), IngestConfig(hidden_text=True))
    assert "never shown" in read.text


GRID = """
+------+---------------+
| Zone | Weekday       |
|      +-------+-------+
|      | Adult | Child |
+======+=======+=======+
| In   | 4.10  | 2.00  |
|      +-------+-------+
|      | 4.40  | 2.20  |
+------+-------+-------+
"""
SIMPLE = """
=====  =====  ======
   Weekday     Night
------------  ------
Adult  Child  All
=====  =====  ======
4.10   2.00   5.00
4.40          of the
              line
=====  =====  ======
"""
LIST = """
.. list-table:: Fares
   :header-rows: 1

   * - Zone
     - Fare
   * - In
     - 4.10
       euros
"""
CSV = """
.. csv-table:: Fares
   :header: "Zone", "Fare"

   "In", "4,10"
   "Out", "5,20"
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (GRID, ["| Zone | Weekday > Adult | Weekday > Child |", "| In | 4.10 | 2.00 |", "| In | 4.40 | 2.20 |"]),
        (
            SIMPLE,
            [
                "| Weekday > Adult | Weekday > Child | Night > All |",
                "| 4.10 | 2.00 | 5.00 |",
                "| 4.40 |  | of the line |",
            ],
        ),
        (LIST, ["Fares", "| Zone | Fare |", "| In | 4.10 euros |"]),
        (CSV, ["Fares", "| Zone | Fare |", "| In | 4,10 |", "| Out | 5,20 |"]),
    ],
)
def test_tables_of_restructured_text(source: str, expected: list[str]) -> None:
    text = f"Before.\n{source}\nAfter.\n"
    document = parse_one("fares.rst", text.encode())
    lines = document.text.split("\n")
    assert [line for line in lines if line and "---" not in line and line not in ("Before.", "After.")] == expected
    assert lines.index("After.") == text.split("\n").index("After.")
    assert [kind for kind, _, _ in shape(document)].count("table") == 1


@pytest.mark.parametrize(
    "source", ["+--+--+\n| a\n+--+\n", "==== ===\na\n", "+---+\n|a  |\n", ".. list-table::\n\n   nothing\n", ".. |x|\n"]
)
def test_what_is_no_table_stays(source: str) -> None:
    text = parse_one("a.rst", f"Before.\n\n{source}\nAfter.\n".encode()).text
    assert "Before." in text and text.endswith("After.\n")


def test_a_comment_that_closes_a_text_still_does() -> None:
    assert parse_one("a.rst", b".. acl: hr\n\nSalaries.\n").metadata.acl == ("hr",)
    assert parse_one("a.md", b"<!-- acl: hr -->\n\nSalaries.\n").metadata.acl == ("hr",)


NOTE = """\
---
aliases: [Aurora, Operation Polaris]
tags: [infra/backup]
---
# [[Projekt|The project]]

Seen %%not seen%% again, 100%% sure and 50%% of it.

%%
two lines
unseen
%%

<!-- unseen
either -->
`<!-- code -->` and

```md
%% kept %%
```

> [!warning] Careful
> Mind the [[Depot#Gate|gate]].

![[map.png]] last
"""


def test_a_note_of_obsidian() -> None:
    documents, reports = parse_bytes("Projekt.md", NOTE.encode())
    (document,) = documents
    assert document.sections[0].heading_path == ("The project",)
    assert "seen%%" not in document.text and "unseen" not in document.text
    assert "100%% sure and 50%% of it" in document.text
    assert "`<!-- code -->`" in document.text and "%% kept %%" in document.text
    assert "Careful" in document.text and "[[Depot#Gate|gate]]" in document.text
    assert document.first_line == 5
    assert document.text.split("\n").index("![[map.png]] last") + 5 == NOTE.split("\n").index("![[map.png]] last") + 1
    assert "comments" in reports[-1].warnings[0]
    assert (document.metadata.tags, document.metadata.extra["aliases"]) == (
        ("infra/backup",),
        "Aurora, Operation Polaris",
    )
    assert "unseen" in parse_one("Projekt.md", NOTE.encode(), IngestConfig(hidden_text=True)).text


def test_front_matter_in_toml() -> None:
    document = parse_one("a.md", b'+++\ntitle = "Backup"\ntags = ["infra"]\naliases = ["Vault"]\n+++\nText.\n')
    assert (document.title, document.metadata.tags, document.metadata.extra["aliases"]) == (
        "Backup",
        ("infra",),
        "Vault",
    )


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;", "sep=;\r"])
def test_a_table_that_names_its_separator(first: str) -> None:
    data = f"{first}\nroom;price, net\nWren;1,50\nOsprey;2,75\n"
    document = parse_one("a.csv", data.encode())
    assert document.text.split("\n") == [
        "| room | price, net |",
        "| --- | --- |",
        "| Wren | 1,50 |",
        "| Osprey | 2,75 |",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<!-- " * 40_000,
        "%%a\n" * 40_000,
        "%%\na\n" * 20_000 + "%%x",
        "x %%a" * 40_000,
        "`<!--`` " * 20_000,
    ],
)
def test_comments_without_an_end_cost_no_time(text: str) -> None:
    started = time.process_time()
    parse_one("a.md", f"Seen.\n\n{text}".encode())
    assert time.process_time() - started < 10


def test_directives_in_directives_without_end() -> None:
    text = "".join(" " * 2 * depth + ".. note::\n\n" for depth in range(400)) + " " * 800 + "Innermost.\n"
    assert "Innermost." in parse_one("a.rst", text.encode()).text


def test_a_malformed_grid_loses_no_word() -> None:
    for cut in range(1, len(GRID) - 2):
        text = parse_one("a.rst", f"Before.\n{GRID[:cut]}{GRID[cut + 2 :]}".encode()).text
        damaged = f"{GRID[:cut]}{GRID[cut + 2 :]}"
        assert set(re.findall(r"\w+", damaged)) <= set(re.findall(r"\w+", text)), damaged
