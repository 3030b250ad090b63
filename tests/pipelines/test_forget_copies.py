"""Forgetting what was merged, what stood for others, and what gave no document; nothing that was not named is lost."""

from __future__ import annotations

import zipfile

import pytest

from ragcli.errors import SourceError
from tests.attack.forget import run
from tests.parse.builders import write_tree
from tests.pipelines.projects import Project, project  # noqa: F401

TEXT = "the boiler of the north depot is drained every spring and filled again"


def test_a_copy_takes_the_place_of_a_forgotten_document(project: Project) -> None:  # noqa: F811
    docs = write_tree(project.folder / "docs", {"apple.md": TEXT, "birch.md": TEXT, "other.md": "other"})
    project.ingest("docs")
    result = project.forget("apple.md")
    assert (result.doc_ids, result.copies, result.kept_by, result.still_found) == (("apple.md",), ("birch.md",), (), ())
    assert project.places(TEXT) == project.places("apple.md") == []
    (docs / "apple.md").unlink()
    project.ingest("docs")
    assert project.found() == {"birch.md": (), "other.md": ()}
    write_tree(docs, {"apple.md": TEXT})
    project.ingest("docs")
    assert project.found() == {"apple.md": ("birch.md",), "other.md": ()}


def test_a_copy_is_forgotten_by_its_own_name(project: Project) -> None:  # noqa: F811
    docs = write_tree(project.folder / "docs", {"apple.md": TEXT, "birch.md": TEXT, "cedar.md": TEXT + " indeed"})
    project.ingest("docs")
    write_tree(docs, {"other.md": "other"})
    project.ingest("docs")
    result = project.forget("cedar.md")
    assert (result.doc_ids, result.copies, result.kept_by) == (("cedar.md",), (), ("apple.md",))
    assert result.still_found == ()
    assert len(result.versions) == 2
    assert project.places("cedar.md") == []
    assert project.places(TEXT + " indeed") == []
    assert project.found() == {"apple.md": ("birch.md",), "other.md": ()}
    for version in project.index.versions():
        assert project.index.verify(version.version) == []
    (docs / "cedar.md").unlink()
    project.ingest("docs")
    assert project.found() == {"apple.md": ("birch.md",), "other.md": ()}
    write_tree(docs, {"cedar.md": TEXT + " indeed"})
    project.ingest("docs")
    assert project.found() == {"apple.md": ("birch.md", "cedar.md"), "other.md": ()}


def test_a_copy_is_forgotten_by_the_path_of_its_file(project: Project) -> None:  # noqa: F811
    write_tree(project.folder / "docs", {"apple.md": TEXT, "birch.md": TEXT, "other.md": "other"})
    project.ingest("docs")
    result = project.forget("docs/birch.md")
    assert (result.doc_ids, result.kept_by) == (("birch.md",), ("apple.md",))
    assert project.places("birch.md") == []
    assert project.found() == {"apple.md": (), "other.md": ()}


def test_a_copy_in_another_root_and_one_in_an_archive_come_back_with_the_next_ingest(project: Project) -> None:  # noqa: F811
    write_tree(project.folder, {"one/apple.md": TEXT, "one/x.md": "x", "two/birch.md": TEXT + " indeed"})
    with zipfile.ZipFile(project.folder / "two" / "pack.zip", "w") as archive:
        archive.writestr("cedar.txt", TEXT)
        archive.writestr("plain.txt", "something else")
    project.ingest("one", "two")
    assert project.found()["apple.md"] == ("birch.md", "pack.zip!cedar.txt")
    assert project.forget("apple.md").copies == ("birch.md", "pack.zip!cedar.txt")
    (project.folder / "one" / "apple.md").unlink()
    project.ingest("one")
    assert project.found() == {"birch.md": ("pack.zip!cedar.txt",), "pack.zip!plain.txt": (), "x.md": ()}


def test_what_stays_of_an_archive_goes_with_it_later(project: Project) -> None:  # noqa: F811
    docs = write_tree(project.folder / "docs", {"x.md": "x"})
    with zipfile.ZipFile(docs / "pack.zip", "w") as archive:
        archive.writestr("cedar.txt", TEXT)
        archive.writestr("plain.txt", "something else")
    project.ingest("docs")
    project.forget("pack.zip!cedar.txt")
    assert project.places("cedar.txt") == []
    (docs / "pack.zip").unlink()
    project.ingest("docs")
    assert project.found() == {"x.md": ()}


def test_a_copy_whose_file_cannot_be_read_now_is_told_and_comes_back_when_it_can(project: Project) -> None:  # noqa: F811
    write_tree(project.folder, {"one/apple.md": TEXT, "one/x.md": "x", "two/birch.md": TEXT})
    project.ingest("one", "two")
    project.forget("apple.md")
    (project.folder / "one" / "apple.md").unlink()
    (project.folder / "two").rename(project.folder / "away")
    notices = project.ingest("one")
    assert any("birch.md is not in the index" in notice for notice in notices)
    assert any(notice.startswith(f"{project.folder / 'two'} is gone") for notice in notices)
    (project.folder / "away").rename(project.folder / "two")
    project.ingest("one")
    assert project.found() == {"birch.md": (), "x.md": ()}


def test_flags_given_for_a_file_hold_when_it_comes_back(project: Project) -> None:  # noqa: F811
    docs = write_tree(project.folder / "docs", {"apple.md": TEXT, "x.md": "x"})
    project.ingest("docs")
    project.ingest("docs/apple.md", acl=["hr"])
    project.forget("apple.md")
    assert project.places("apple.md") == []
    project.ingest("docs")
    with project.index.open() as engine:
        assert engine.document("apple.md").metadata.acl == ("hr",)
    project.ingest("docs/apple.md", acl=["it"])
    (docs / "apple.md").write_text("changed")
    project.ingest("docs")
    with project.index.open() as engine:
        assert engine.document("apple.md").metadata.acl == ("it",)


def test_a_file_that_gave_no_document_can_be_forgotten(project: Project) -> None:  # noqa: F811
    docs = write_tree(project.folder / "docs", {"empty-secret.md": "", "x.md": "x"})
    project.ingest("docs")
    assert project.places("empty-secret.md")
    assert project.forget("empty-secret.md").doc_ids == ("empty-secret.md",)
    assert project.places("empty-secret.md") == []
    assert docs.joinpath("empty-secret.md").exists()


def test_a_root_is_forgotten_by_its_path_or_its_name(project: Project) -> None:  # noqa: F811
    write_tree(
        project.folder, {"one/apple.md": TEXT, "two/birch.md": "another text", "solo.md": "alone", "x/x.md": "x"}
    )
    project.ingest("one", "two", "solo.md", "x")
    with project.index.open() as engine:
        assert sorted(engine.roots) == ["one", "solo.md", "two", "x"]
    assert project.forget(str(project.folder / "one")).doc_ids == ("apple.md",)
    assert project.forget("two").doc_ids == ("birch.md",)
    assert project.forget("solo.md").doc_ids == ("solo.md",)
    assert project.places("solo.md") == []
    for version in project.index.versions():
        with project.index.open(version.version) as engine:
            assert sorted(engine.roots) == ["x"]
    with pytest.raises(SourceError, match="no document 'one'"):
        project.forget("one")
    assert project.found() == {"x.md": ()}


def test_random_sequences_lose_nothing_and_leave_nothing() -> None:
    outcome = run(tries=12, seed=5)
    assert outcome.failures == []


def test_two_copies_that_are_gone_are_forgotten_by_both_names(project: Project) -> None:  # noqa: F811
    docs = write_tree(project.folder / "docs", {"apple.md": TEXT, "birch.md": TEXT, "x.md": "x"})
    project.ingest("docs")
    (docs / "apple.md").unlink()
    (docs / "birch.md").unlink()
    project.ingest("docs")  # from now on the second name stands in the version before alone, with the first
    assert set(project.forget("apple.md", "birch.md").doc_ids) == {"apple.md", "birch.md"}
    assert project.places("birch.md") == []
