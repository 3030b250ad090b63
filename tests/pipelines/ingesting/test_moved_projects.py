"""A project that was moved, renamed or copied goes on where it is; a folder that is gone is told."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from ragcli.application.sources import gone_roots, source_path
from ragcli.errors import SourceError
from tests.parse.builders import write_tree
from tests.pipelines.projects import Project, project  # noqa: F401

NOTES = {f"notes/n{number}.md": f"note {number} tells of a lamp" for number in range(8)} | {"notes/wifi.md": "pelican"}
LEFT = {f"n{number}.md": () for number in range(8)}


def as_before(index: Path) -> None:
    """Make of an index what an earlier version left: roots are known by their absolute path alone."""
    database = sqlite3.connect(index / "staging" / "catalog.sqlite")
    for table, column in (("roots", "relative"), ("files", "aliases"), ("files", "real")):
        database.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    database.execute("PRAGMA user_version=2")
    database.commit()
    database.close()
    for path in index.glob("versions/*/manifest.json"):
        content = json.loads(path.read_text())
        del content["root_places"]
        path.write_text(json.dumps(content))


@pytest.mark.parametrize("old", [False, True], ids=["by this version", "by an earlier one"])
@pytest.mark.parametrize("copied", [False, True], ids=["moved", "copied"])
def test_a_project_elsewhere_is_read_where_it_is(project: Project, old: bool, copied: bool) -> None:  # noqa: F811
    write_tree(project.folder, NOTES)
    project.ingest("notes")
    if old:
        as_before(project.index.path)
    elsewhere = project.folder.parent / "deeper" / "b"
    elsewhere.parent.mkdir()
    (shutil.copytree if copied else shutil.move)(project.folder, elsewhere)
    there = Project(elsewhere)
    if not (old and copied):  # of two folders that are there an old version tells none from the other before an ingest
        with there.index.open() as engine:
            assert engine.roots == {"notes": str(elsewhere / "notes")}
            assert source_path(engine.roots, "n1.md") == elsewhere / "notes" / "n1.md"
    (elsewhere / "notes" / "wifi.md").unlink()
    result = there.ingested("notes")
    assert (result.added, result.removed, result.unchanged, result.notices) == (0, 1, 8, ())
    assert there.found() == LEFT
    with there.index.open() as engine:
        assert engine.manifest.roots == {"notes": str(elsewhere / "notes")}
        assert engine.manifest.root_places == {"notes": "../notes"}
    if copied:
        project.ingest("notes")
        assert project.found() == LEFT | {"wifi.md": ()}


def test_a_folder_of_that_name_with_other_files_is_not_taken_for_it(project: Project) -> None:  # noqa: F811
    write_tree(project.folder, NOTES)
    project.ingest("notes")
    elsewhere = project.folder.parent / "b"
    elsewhere.mkdir()
    shutil.move(project.folder / "index", elsewhere / "index")
    write_tree(elsewhere, {"notes/other.md": "something else"})
    there = Project(elsewhere)
    there.ingest("notes")
    assert there.found() == {"other.md": (), **LEFT, "wifi.md": ()}


def test_a_renamed_folder_takes_its_own_place(project: Project) -> None:  # noqa: F811
    write_tree(project.folder, NOTES | {"more/m.md": "more of it"})
    project.ingest("notes", "more", acl=["hr"])
    (project.folder / "notes").rename(project.folder / "diary")
    with project.index.open() as engine:
        assert gone_roots(engine.roots) == [project.folder / "notes"]
    notices = project.ingest("more")
    assert any(f"rag forget '{project.folder / 'notes'}'" in notice for notice in notices)
    (project.folder / "diary" / "wifi.md").unlink()
    notices = project.ingest("diary")
    assert any("which takes its place" in notice for notice in notices)
    assert project.found() == LEFT | {"m.md": ()}
    with project.index.open() as engine:
        assert gone_roots(engine.roots) == []
        assert {engine.document(name).metadata.acl for name in engine.doc_ids()} == {("hr",)}


def test_a_missing_folder_says_what_forgets_it(project: Project) -> None:  # noqa: F811
    write_tree(project.folder, NOTES)
    project.ingest("notes")
    shutil.rmtree(project.folder / "notes")
    with pytest.raises(SourceError) as caught:
        project.ingest("notes")
    assert f"rag forget '{project.folder / 'notes'}'" in caught.value.hint
    with pytest.raises(SourceError) as caught:
        project.ingest("nowhere")
    assert "forget" not in caught.value.hint


def test_two_names_of_a_folder_are_one(project: Project) -> None:  # noqa: F811
    write_tree(project.folder, NOTES)
    (project.folder / "again").symlink_to(project.folder / "notes")
    project.ingest("notes")
    result = project.ingested("again", "notes/../notes", "again/n1.md")
    assert (result.added, result.changed, result.removed) == (0, 0, 0)
    assert list(project.found()) == [*LEFT, "wifi.md"]


def test_a_second_root_at_one_place_goes(project: Project) -> None:  # noqa: F811
    """What an earlier version made of a moved project: the old root, served for ever, and a new one beside it."""
    write_tree(project.folder, NOTES)
    project.ingest("notes")
    with project.index.writer() as writer:
        root = writer.staging.add_root(project.folder / "elsewhere")
        writer.staging._run("UPDATE roots SET relative = '../notes' WHERE root_id = ?", (root.root_id,))
    result = project.ingested("notes")
    assert result.notices == ()
    with project.index.writer() as writer:
        assert [root.path for root in writer.staging.roots()] == [project.folder / "notes"]


def test_what_a_root_passes_over_becomes_one_when_it_is_asked_for(project: Project) -> None:  # noqa: F811
    write_tree(project.folder, {"p/.gitignore": "build/\n", "p/a.md": "apple", "p/build/b.md": "birch"})
    project.ingest("p")
    assert project.found() == {"a.md": ()}
    project.ingest("p/build")
    assert project.found() == {"a.md": (), "b.md": ()}
    result = project.ingested("p")
    assert project.found() == {"a.md": (), "b.md": ()}
    assert [(line.rule, line.files, line.folders, line.first) for line in result.ignored] == [
        (".gitignore: build/", 0, 1, ("build",))
    ]


def test_flags_of_an_inner_root_hold_in_the_wider_one(project: Project) -> None:  # noqa: F811
    write_tree(project.folder, {"p/a.md": "apple", "p/hr/b.md": "birch"})
    project.ingest("p/hr", acl=["hr"])
    notices = project.ingest("p")
    assert any("is read as part of" in notice for notice in notices)
    with project.index.open() as engine:
        assert {name: engine.document(name).metadata.acl for name in engine.doc_ids()} == {
            "a.md": (),
            "hr/b.md": ("hr",),
        }


def test_ids_stay_apart_across_roots_and_copies(project: Project) -> None:  # noqa: F811
    write_tree(project.folder, {"one/a.md": "same", "one/b.md": "same", "two/b.md": "another", "two/two/b.md": "third"})
    project.ingest("one")
    project.ingest("two")
    assert project.found() == {"a.md": ("b.md",), "two/b.md": (), "two/two/b.md": ()}
    (project.folder / "one" / "a.md").unlink()
    project.ingest("one", "two")
    with project.index.open() as engine:
        texts = {name: engine.document(name).text for name in engine.doc_ids()}
    assert sorted(texts.values()) == ["another", "same", "third"]
