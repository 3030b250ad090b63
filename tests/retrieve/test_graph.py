"""Documents that the first hits lead to, over a real index: named by a title, or naming one, and no closed ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragcli import Index
from ragcli.config import load
from ragcli.records import Link
from ragcli.retrieve.graph import names_in

FILES = {
    "film.md": "# Maximum Overdrive\n\nDirected by Anna Birk, it runs two hours.\n",
    "town.md": "# Leland\n\nLeland is a town. The picture Maximum Overdrive, of 1986, was shot around it.\n",
    "maker.md": "# Anna Birk\n\nShe was born in Tromsø and keeps bees.\n",
    "closed.md": "---\nacl: hr\n---\n# Leland Archive\n\nLeland is full of secrets.\n",
    **{f"other{n}.md": f"# Other {n}\n\nA town, a picture, a film, shot number {n}.\n" for n in range(8)},
}
QUESTION = "Which picture was shot around the town Leland?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("linked")
    (made / "docs").mkdir()
    for name, text in FILES.items():
        (made / "docs" / name).write_text(text, encoding="utf-8")
    _index(made).ingest(made / "docs")
    return made


def _index(folder: Path, graph: str = "titles") -> Index:
    settings = {"index.path": str(folder / ".rag"), "retrieve.graph": graph, "retrieve.mode": "bm25"}
    return Index(load(overrides=settings, environ={}, cwd=folder))


def test_names_begin_with_a_capital_or_a_figure_and_lose_their_marks() -> None:
    found = set(names_in("the film (Maximum Overdrive, 1986)"))
    assert {"Maximum Overdrive", "Maximum", "1986", "Overdrive", "Maximum Overdrive, 1986"} <= found
    assert not any(name.startswith(("the", "film", "(")) for name in found)


def test_what_a_hit_names_comes_after_the_first_documents_with_the_way_there(folder: Path) -> None:
    plain = [hit.chunk.doc_id for hit in _index(folder, "off").search(QUESTION).hits]
    found = _index(folder).search(QUESTION)
    order = [hit.chunk.doc_id for hit in found.hits]
    assert order[:3] == plain[:3] and order[0] == "town.md"
    assert order[3] == "film.md" and "film.md" not in plain
    assert Link("town.md", "film.md", "Maximum Overdrive") in found.links
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    trail = _index(folder).explain(QUESTION, "film.md", answers=False).trails[0]
    assert ("graph", True, "town.md names film.md ('Maximum Overdrive')") in [
        (step.stage, step.passed, step.detail) for step in trail.steps
    ]


def test_what_names_a_hit_is_come_upon_too(folder: Path) -> None:
    found = _index(folder).search("Who was born in Tromsø and keeps bees?")
    assert found.hits[0].chunk.doc_id == "maker.md"
    assert "film.md" in [hit.chunk.doc_id for hit in found.hits]
    assert Link("film.md", "maker.md", "Anna Birk") in found.links


def test_no_way_leads_to_or_through_a_closed_document(folder: Path) -> None:
    found = _index(folder).search(QUESTION)
    assert "closed.md" not in {name for link in found.links for name in (link.source, link.target)}
    assert "closed.md" not in [hit.chunk.doc_id for hit in found.hits]


def test_without_titles_nothing_is_followed(folder: Path) -> None:
    assert _index(folder, "off").search(QUESTION).links == ()
