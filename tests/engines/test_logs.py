"""Past questions, conversations and notes beside the versions, over every store."""

from __future__ import annotations

import dataclasses
from datetime import date

import pytest

from ragcli.errors import ConfigError, NotFound
from ragcli.interfaces import Store
from ragcli.records import Turn
from tests.engines.test_forgetting import _trace as trace


def test_traces_come_back_with_their_feedback(store: Store) -> None:
    assert list(store.traces) == []
    for name in ("20260301T100000-aaaa", "20260301T110000-bbbb"):
        store.traces.append(trace(name, "a.md"))
    assert store.traces.feedback("20260301T11", "bad").trace_id == "20260301T110000-bbbb"
    assert [(item.trace_id[-4:], item.feedback) for item in store.traces] == [("aaaa", None), ("bbbb", "bad")]
    assert store.traces.get("20260301T100000-aaaa").question == "What?"
    for name in ("20260301", "nope", ""):
        with pytest.raises(NotFound):
            store.traces.get(name)


def test_old_traces_go(store: Store) -> None:
    for day in ("2026-01-01", "2026-03-01"):
        store.traces.append(dataclasses.replace(trace(f"t-{day}", "a.md"), created=f"{day}T10:00:00+00:00"))
    assert store.traces.remove_old(30, date(2026, 3, 10)) == 1
    assert [item.trace_id for item in store.traces] == ["t-2026-03-01"]


def test_a_conversation_is_kept_and_dropped_turn_by_turn(store: Store) -> None:
    log = store.sessions
    assert (log.turns("new"), list(log.list())) == ([], [])
    log.append("move", Turn("2026-03-01T10:00:00+00:00", "A?", "A?", "a", True, "t1", ("a.md",), ("hr",)))
    log.append("move", Turn("2026-03-01T10:01:00+00:00", "B?", "B?", "b", True, "t2", ("b.md",)))
    assert [(turn.question, turn.groups) for turn in log.turns("move")] == [("A?", ("hr",)), ("B?", ())]
    assert [(info.name, info.turns, info.last[:16]) for info in log.list()] == [("move", 2, "2026-03-01T10:01")]
    with pytest.raises(ConfigError):
        log.append("../up", Turn("", "", "", "", True, ""))
    log.drop("move", lambda turn: turn.question == "A?")
    assert [turn.question for turn in log.turns("move")] == ["B?"]
    with pytest.raises(NotFound):
        log.drop("move", lambda turn: turn.question == "A?")
    log.drop("move", lambda turn: True)
    assert list(log.list()) == []


def test_a_note_is_kept(store: Store) -> None:
    assert store.note("judges.json") == ""
    store.put_note("judges.json", "one")
    store.put_note("judges.json", "two")
    assert store.note("judges.json") == "two"
