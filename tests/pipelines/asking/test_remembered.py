"""Past questions and conversations are shown by today's access to the documents in them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ragcli.index.folder import IndexFolder
from ragcli.pipelines.asking.remembered import TodaysAccess
from ragcli.records import Step, Trace, Turn
from tests.index.corpus import publish
from tests.index.records import document


def trace(*doc_ids: str, groups: tuple[str, ...] = (), answer: str = "Seventeen [1].") -> Trace:
    chunk_ids = tuple(f"{doc_id}#1" for doc_id in doc_ids)
    return Trace(
        trace_id="-".join(doc_ids),
        created="2026-03-01T10:00:00+00:00",
        question="How much?",
        standalone_question="How much?",
        index_version="v000001",
        mode="bm25",
        found=True,
        not_found_reason=None,
        answer=answer,
        confidence=0.9,
        hits=tuple((chunk_id, 1.0) for chunk_id in chunk_ids),
        passages=chunk_ids[:1],
        cited=chunk_ids[:1],
        statuses=("supported",),
        provider="extractive",
        model="m",
        groups=groups,
    )


def turn(*doc_ids: str, groups: tuple[str, ...] = ()) -> Turn:
    return Turn("2026-03-01T10:00:00+00:00", "How much?", "How much?", "Seventeen.", True, "t", doc_ids, groups)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """``a`` is open, ``b`` was and is closed now, ``c`` was closed when it went, ``d`` went open, ``e`` never was."""
    publish(tmp_path, [document(f"{name}.md", f"text {name}", acl=("hr",) if name == "c" else ()) for name in "abcd"])
    publish(tmp_path, [document("a.md", "text a"), document("b.md", "text b", acl=("hr",))])
    return tmp_path


def test_what_is_closed_today_is_not_shown_whatever_it_was(folder: Path) -> None:
    kept = [
        trace("a.md"),
        trace("a.md", "b.md"),
        trace("b.md"),
        trace("c.md"),
        trace("d.md"),
        trace("a.md", groups=("it",)),
    ]
    for groups, seen in ((), ["a.md", "d.md"]), (("hr",), ["a.md", "a.md-b.md", "b.md", "c.md", "d.md"]):
        with TodaysAccess(IndexFolder(folder), groups, ()) as access:
            assert [item.trace_id for item in access.traces(kept)] == seen
    with TodaysAccess(IndexFolder(folder), ("it",), ()) as access:
        assert [item.trace_id for item in access.traces(kept)] == ["a.md", "d.md", "a.md"]
    with TodaysAccess(IndexFolder(folder), (), ("staff",)) as access:
        assert list(access.traces(kept)) == []


def test_a_document_that_only_a_search_step_met_counts(folder: Path) -> None:
    searched = replace(trace("a.md"), steps=(Step("how much", ("b.md#1",)),))
    with TodaysAccess(IndexFolder(folder), (), ()) as access:
        assert list(access.traces([searched])) == []


def test_of_what_no_kept_version_holds_only_the_question_stays(folder: Path) -> None:
    with TodaysAccess(IndexFolder(folder), (), ()) as access:
        (gone,) = access.traces([trace("e.md", "a.md")])
        assert (gone.question, gone.answer, gone.hits, gone.cited) == ("How much?", "", (("a.md#1", 1.0),), ())
        (partly,) = access.traces([trace("a.md", "e.md")])
        assert (partly.answer, partly.hits) == ("Seventeen [1].", (("a.md#1", 1.0),))
        assert [item.answer for item in access.turns([turn("a.md"), turn("e.md"), turn("b.md")])] == ["Seventeen.", ""]


def test_without_an_index_no_answer_is_shown(tmp_path: Path) -> None:
    with TodaysAccess(IndexFolder(tmp_path / "none"), ("hr",), ()) as access:
        assert [item.answer for item in access.traces([trace("a.md")])] == [""]
        assert [item.question for item in access.turns([turn(), turn("b.md", groups=("it",))])] == ["How much?"]


def test_a_damaged_version_shows_nothing(folder: Path) -> None:
    for manifest in folder.glob("versions/*/manifest.json"):
        manifest.write_text("{}")
    with TodaysAccess(IndexFolder(folder), ("hr",), ()) as access:
        assert [item.answer for item in access.traces([trace("a.md")])] == [""]
