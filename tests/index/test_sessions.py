"""Sessions: kept, listed, dropped, forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragcli.errors import ConfigError, NotFound
from ragcli.index.sessions import Sessions
from ragcli.records import Turn


def _turn(question: str, **more: tuple[str, ...]) -> Turn:
    return Turn("2026-03-01T10:00:00+00:00", question, question, "Two days.", True, "t1", **more)


def test_turns_in_order(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path / "sessions")
    assert sessions.turns("a") == []
    sessions.append("a", _turn("public?"))
    sessions.append("a", _turn("secret?", groups=("hr",)))
    sessions.append("a", _turn("a\u2028b?"))
    assert [turn.question for turn in sessions.turns("a")] == ["public?", "secret?", "a\u2028b?"]
    assert [(info.name, info.turns) for info in sessions.list()] == [("a", 3)]


def test_drop_and_forget(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    sessions.append("a", _turn("one?", doc_ids=("x.md",)))
    sessions.append("a", _turn("two?", doc_ids=("y.md",)))
    assert sessions.forget({"x.md"}) == 1
    assert [turn.question for turn in sessions.turns("a")] == ["two?"]
    sessions.append("a", _turn("three?"))
    sessions.drop("a", lambda turn: turn.question == "two?")
    assert [turn.question for turn in sessions.turns("a")] == ["three?"]
    with pytest.raises(NotFound):
        sessions.drop("a", lambda turn: turn.question == "two?")
    sessions.drop("a", lambda turn: True)
    assert sessions.list() == []
    with pytest.raises(NotFound):
        sessions.drop("a", lambda turn: True)


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x" * 65, "a b", "\n"])
def test_names_that_cannot_be_files(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError):
        Sessions(tmp_path).append(name, _turn("?"))


def test_a_torn_line_is_passed_over(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    sessions.append("a", _turn("one?"))
    path = tmp_path / "a.jsonl"
    path.write_bytes(path.read_bytes() + b'{"created": "20')
    assert len(sessions.turns("a")) == 1
