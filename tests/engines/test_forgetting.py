"""Forgetting: a document leaves every version, the staged state, caches, past questions and conversations."""

from __future__ import annotations

import contextlib

import pytest

from ragcli.config import Config
from ragcli.errors import SourceError
from ragcli.interfaces import Store
from ragcli.pipelines.building.index import build_index
from ragcli.pipelines.forget import forget
from ragcli.records import Document, Scope, Trace, Turn
from tests.engines.stores import ids
from tests.index.corpus import stage
from tests.index.records import document
from tests.pipelines.building.test_index import CountingEmbedder

SECRET = "The merger with Quixotic Holdings closes on the fourteenth of May, and nobody knows."


def _publish(store: Store, *documents: Document) -> None:
    with store.writer() as writer:
        stage(writer, documents)
        for item in documents:
            writer.caches.documents.put(f"parsed {item.doc_id}", [item])
        build_index(config=Config(), writer=writer, embedder=CountingEmbedder())  # type: ignore[arg-type]


def _trace(trace_id: str, doc_id: str) -> Trace:
    return Trace(
        trace_id=trace_id,
        created="2026-03-01T10:00:00+00:00",
        question="What?",
        standalone_question="What?",
        index_version="v000001",
        mode="hybrid",
        found=True,
        not_found_reason=None,
        answer="That.",
        confidence=0.9,
        hits=((f"{doc_id}#1", 0.5),),
        passages=(f"{doc_id}#1",),
        cited=(),
        statuses=(),
        provider="extractive",
        model="",
    )


@pytest.fixture
def kept(store: Store) -> Store:
    """The secret stands in the second of three versions, in a past question and in a conversation."""
    others = [document(f"d{n}.md", f"harmless text number {n}") for n in range(9)]
    _publish(store, *others)
    _publish(store, *others, document("hr/secret.md", SECRET))
    _publish(store, *others[1:], document("hr/secret.md", SECRET))
    for trace_id, doc_id in (("t-secret", "hr/secret.md"), ("t-open", "d3.md")):
        store.traces.append(_trace(trace_id, doc_id))
    turn = Turn("2026-03-01T10:00:00+00:00", "What?", "What?", SECRET, True, "t-secret", ("hr/secret.md",))
    store.sessions.append("talk", turn)
    store.sessions.append("talk", Turn("2026-03-01T10:01:00+00:00", "So?", "So?", "Yes.", True, "t-open", ("d3.md",)))
    return store


def test_a_forgotten_document_is_nowhere(kept: Store) -> None:
    with kept.writer() as writer:
        result = forget(["hr/secret.md"], writer=writer, config=Config(), logs=(kept.traces, kept.sessions))
    assert result.doc_ids == ("hr/secret.md",)
    assert result.still_found == ()
    assert result.files_searched
    for info in kept.versions():
        with contextlib.closing(kept.open(info.version)) as engine:
            assert "hr/secret.md" not in engine.doc_ids()
            assert ids(engine.lexical("Quixotic merger", 9, engine.allowed(Scope()))) == []
        assert kept.verify(info.version) == []
    assert len(kept.versions()) == 3
    assert [trace.trace_id for trace in kept.traces] == ["t-open"]
    assert [turn.answer for turn in kept.sessions.turns("talk")] == ["Yes."]
    with kept.writer() as writer:
        assert "hr/secret.md" not in writer.staging.document_keys()
        assert writer.caches.documents.get("parsed hr/secret.md") is None


def test_what_stays_is_untouched(kept: Store) -> None:
    with contextlib.closing(kept.open()) as engine:
        before = {name: engine.document(name) for name in engine.doc_ids() if name != "hr/secret.md"}
    with kept.writer() as writer:
        forget(["hr/secret.md"], writer=writer, config=Config())
    with contextlib.closing(kept.open()) as engine:
        assert {name: engine.document(name) for name in engine.doc_ids()} == before
        assert len(ids(engine.lexical("harmless", 20, engine.allowed(Scope())))) == 8


def test_a_name_that_meets_nothing_is_told(kept: Store) -> None:
    with kept.writer() as writer, pytest.raises(SourceError, match=r"no document 'nope\.md'"):
        forget(["nope.md"], writer=writer, config=Config())
