from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from ragcli.config import Config
from ragcli.errors import ConfigError, SourceError
from ragcli.index.folder import IndexFolder
from ragcli.index.traces_of_text import search_folder
from ragcli.pipelines.building.index import build_index
from ragcli.pipelines.forget import forget
from ragcli.quotes import probes
from ragcli.records import Document, Forgotten, Scope
from tests.index.corpus import stage
from tests.index.records import document
from tests.pipelines.building.test_index import CountingEmbedder

SECRET = (
    "The merger with Quixotic Holdings closes on the fourteenth of May.\nIts codename is zanzibar-77 and nobody knows."
)


def _publish(path: Path, *documents: Document) -> None:
    with IndexFolder(path).writer() as writer:
        stage(writer, documents)
        for item in documents:
            writer.caches.documents.put(f"parsed {item.doc_id}", [item])
        build_index(config=Config(), writer=writer, embedder=CountingEmbedder())  # type: ignore[arg-type]


def _forget(path: Path, *sources: str, traces: list[str] | None = None) -> Forgotten:
    class Log:
        def forget(self, doc_ids: Collection[str]) -> int:
            if traces is not None:
                traces.extend(doc_ids)
            return 0

    with IndexFolder(path).writer() as writer:
        return forget(sources, writer=writer, config=Config(), logs=(Log(),))


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Three versions: the secret is added in the second, and removed, but not forgotten, in the third."""
    others = [document(f"d{n}.md", f"harmless text number {n}") for n in range(30)]
    _publish(tmp_path, *others)
    _publish(tmp_path, *others[:20], document("hr/secret.md", SECRET))
    _publish(tmp_path, *others[10:], document("e.md", "more"))
    return tmp_path


def test_the_search_finds_what_is_there(kept: Path) -> None:
    searched, found = search_folder(kept, probes(SECRET))
    assert searched > 10
    places = "\n".join(found)
    assert "versions/v000002/segments" in places
    assert "cache/documents.sqlite: entries row" in places


def test_forgotten_document_is_nowhere(kept: Path) -> None:
    (kept / "runs").mkdir()
    (kept / "runs" / "a.json").write_text('{"answer": "Its codename is zanzibar-77 and nobody knows."}')
    (kept / "sessions").mkdir()
    (kept / "sessions" / "s.jsonl").write_text('{"a": 1}\n{"q": "Its codename is zanzibar-77 and nobody knows."}\n')
    told: list[str] = []
    result = _forget(kept, "hr/secret.md", traces=told)
    assert result.doc_ids == ("hr/secret.md",)
    assert result.still_found == ()
    assert told == ["hr/secret.md"]
    assert search_folder(kept, probes(SECRET))[1] == []
    assert not (kept / "runs" / "a.json").exists()
    assert (kept / "sessions" / "s.jsonl").read_text() == '{"a": 1}\n'
    folder = IndexFolder(kept)
    for info in folder.versions():
        assert folder.verify(info.version) == []
        with folder.open(info.version) as engine:
            assert "hr/secret.md" not in engine.doc_ids()
            assert not any(part.holding(["text"], ["quixot"]) for part in engine._lexical._parts.values())
            assert any(part.holding(["text"], ["harmless"]) for part in engine._lexical._parts.values())


def test_what_is_left_is_served_as_before(kept: Path) -> None:
    def state(version: str) -> tuple[dict[str, str], list[str]]:
        with IndexFolder(kept).open(version) as engine:
            documents = {name: engine.document(name).text for name in engine.doc_ids() if name != "hr/secret.md"}
            hits = engine.lexical("harmless number 12", 3, engine.allowed(Scope())).hits
            return documents, [hit.chunk_id for hit in hits]

    before = [state(f"v00000{n}") for n in (1, 2, 3)]
    _forget(kept, "hr/secret.md")
    names = [info.version for info in IndexFolder(kept).versions()]
    assert IndexFolder(kept).current() == names[-1]
    assert [state(name) for name in names] == before


def test_publishing_goes_on_after_forgetting(kept: Path) -> None:
    _forget(kept, "hr/**")
    _publish(kept, document("d1.md", "harmless text number 1"), document("f.md", "new"))
    folder = IndexFolder(kept)
    assert folder.verify() == []
    with folder.open() as engine:
        assert engine.doc_ids() == ["d1.md", "f.md"]


def test_text_that_stands_in_another_document_is_told(tmp_path: Path) -> None:
    _publish(tmp_path, document("a.md", SECRET), document("b.md", "Before.\n" + SECRET))
    result = _forget(tmp_path, "a.md")
    assert (result.still_found, result.kept_by) == ((), ("b.md",))
    assert search_folder(tmp_path, probes(SECRET))[1]
    assert _forget(tmp_path, "b.md").still_found == ()
    assert search_folder(tmp_path, probes(SECRET))[1] == []


def test_unknown_source_is_an_error_and_changes_nothing(kept: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (kept / "versions").rglob("*") if path.name == "manifest.json"}
    with pytest.raises(SourceError, match=r"no document 'nope\.md'"):
        _forget(kept, "hr/secret.md", "nope.md")
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert search_folder(kept, probes(SECRET))[1]


def test_forgetting_everything_leaves_an_empty_index(tmp_path: Path) -> None:
    _publish(tmp_path, document("a.md", SECRET))
    assert _forget(tmp_path, "a.md").still_found == ()
    with IndexFolder(tmp_path).open() as engine:
        assert engine.doc_ids() == []
    assert IndexFolder(tmp_path).verify() == []


@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_forgets_nothing(kept: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="an empty name is no document"):
        _forget(kept, "hr/secret.md", name)
    assert search_folder(kept, probes(SECRET))[1]
