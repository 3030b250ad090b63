"""One setting changed in a settings file's text: it is read back, and all else stays."""

from __future__ import annotations

import pytest

from ragcli.config import example_yaml
from ragcli.config.editing import with_setting
from ragcli.config.text import parse_yaml


@pytest.mark.parametrize(
    "text",
    [
        "",
        "index:\n  path: x\n",
        "answer:\n  passages: 4  # few\n",
        "answer:\n    min_confidence: 0.1   # why\n    passages: 4\nindex:\n  path: x\n",
        "answer:\nindex:\n  path: x",
        "# answer:\nindex:\n  path: x\n\nanswer:  # the answers\n  # a comment\n  passages: 4\n",
        example_yaml(),
    ],
)
def test_only_the_setting_changes(text: str) -> None:
    changed = with_setting(text, "answer", "min_confidence", "0.42")
    before, after = parse_yaml(text, "old"), parse_yaml(changed, "new")
    assert after["answer"].pop("min_confidence") == 0.42
    (before.setdefault("answer", {}) or {}).pop("min_confidence", None)
    assert after == {name: value or {} for name, value in before.items()}
    assert [line for line in text.splitlines() if "#" in line and "min_confidence" not in line] == [
        line for line in changed.splitlines() if "#" in line and "min_confidence" not in line
    ]


def test_the_comment_of_the_line_stays() -> None:
    assert with_setting("a:\n  b: 1  # why\n", "a", "b", "2") == "a:\n  b: 2  # why\n"
