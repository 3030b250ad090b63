from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.config import IngestConfig
from ragcli.parse.assemble import clean
from ragcli.parse.hidden import HiddenText
from ragcli.parse.text.markdown import read_markdown
from tests.parse.builders import parse_bytes, parse_one, shape

PAGE = """---
title: Remote work
effective_date: 2026-03-01
expires: soon
acl: [hr, staff]
owner: Dana
---

# Remote *work* {#top}

Up to **two** days.

- one
  - nested
- two

> quoted

| a | b |
| - | - |
| 1 | 2 |

```python
x = 1
```

Limits `max`
------------
[ref]: https://example.org
last
"""


def test_blocks_lie_over_the_source_and_headings_are_clean() -> None:
    document = parse_one("hr/remote.md", PAGE.encode())
    assert shape(document) == [
        ("other", None, "owner: Dana"),
        ("heading", 1, "# Remote *work* {#top}"),
        ("paragraph", None, "Up to **two** days."),
        ("list_item", 1, "- one"),
        ("list_item", 2, "  - nested"),
        ("list_item", 1, "- two"),
        ("quote", None, "> quoted"),
        ("table", None, "| a | b |\n| - | - |\n| 1 | 2 |"),
        ("code", None, "```python\nx = 1\n```"),
        ("heading", 2, "Limits `max`\n------------"),
        ("other", None, "[ref]: https://example.org"),
        ("paragraph", None, "last"),
    ]
    assert [section.heading_path for section in document.sections] == [("Remote work",), ("Remote work", "Limits max")]


def test_front_matter_is_metadata_and_lines_stay_those_of_the_file() -> None:
    documents, reports = parse_bytes("hr/remote.md", PAGE.encode())
    document = documents[0]
    assert document.title == "Remote work"
    assert document.metadata.effective_date == "2026-03-01"
    assert document.metadata.acl == ("hr", "staff")
    assert document.metadata.expires is None
    assert document.metadata.extra == {"owner": "Dana"}
    assert document.first_line == 6
    assert document.text.splitlines()[0] == PAGE.splitlines()[5] == "owner: Dana"
    assert document.text.splitlines()[3:] == PAGE.splitlines()[8:]
    assert reports[0].warnings == ("hr/remote.md:4: expires is 'soon', not a date (YYYY-MM-DD)",)


def test_front_matter_that_is_no_yaml_stays_text() -> None:
    documents, reports = parse_bytes("x.md", b"---\na: [1\n---\nbody\n")
    assert documents[0].text.startswith("---\na: [1")
    assert "not valid YAML" in reports[0].warnings[0]


@pytest.mark.parametrize(
    "page",
    [
        "---\nacl: [hr\n---\nPay",
        "---\ntitle: a: b\nGroups: hr\n---\nPay",
        '---\n{"acl": [hr}\n---\nPay',
        "---\nacl: [hr]\n\n# Pay\n\nA lot.\n",
        "---\ntitle: Pay\nacl:\n- hr\n# Pay\n",
    ],
)
def test_broken_front_matter_does_not_make_a_restricted_document_public(page: str) -> None:
    documents, reports = parse_bytes("pay.md", page.encode())
    assert documents == []
    assert "who may see it cannot be told" in (reports[0].skipped or "")


def test_a_rule_above_the_text_is_no_front_matter() -> None:
    assert parse_one("x.md", b"---\nNote: see below\n\nThe acl: a list.\n").text.startswith("---\nNote")


def test_a_date_that_is_no_day_is_a_warning_and_the_rest_holds() -> None:
    documents, reports = parse_bytes("x.md", b"---\nacl: [hr]\neffective_date: 2026-02-31\n---\nbody\n")
    assert documents[0].metadata.acl == ("hr",)
    assert documents[0].metadata.effective_date is None
    assert reports[0].warnings == ("x.md:3: effective_date is '2026-02-31', not a date (YYYY-MM-DD)",)


def test_references_that_blow_up_or_go_in_circles_are_refused() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{name}: &{name} [{', '.join(['*' + below] * 9)}]" for below, name in itertools.pairwise("abcdefghi")]
    for front, problem in (("\n".join(lines), "more than 100000 values"), ("a: &a [*a]", "refers to itself")):
        documents, reports = parse_bytes("x.md", f"---\n{front}\n---\nbody\n".encode())
        assert documents[0].metadata.extra == {}
        assert problem in reports[0].warnings[0]


def test_title_falls_back_to_the_file_name() -> None:
    assert parse_one("a/travel_costs-2026.md", b"text only").title == "Travel costs 2026"
    assert parse_one("a/x.md", b"## Second\n\ntext").title == "X"


@given(st.text(alphabet="#*->|`~_[]() \t\nab1.:=!<", max_size=200))
def test_blocks_cover_every_visible_character_once(text: str) -> None:
    extract = read_markdown(clean(text), "x.md", HiddenText(IngestConfig()))
    held = [False] * len(extract.text)
    end = 0
    for block in extract.blocks:
        assert block.span.start >= end
        end = block.span.end
        held[block.span.start : block.span.end] = [True] * len(block.span)
    assert all(mark or char.isspace() for mark, char in zip(held, extract.text, strict=True))
    assert len(extract.heading_titles or ()) == sum(1 for block in extract.blocks if block.kind == "heading")
