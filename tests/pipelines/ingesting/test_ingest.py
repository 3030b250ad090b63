from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragcli.config import Config, IngestConfig, PathRule
from ragcli.errors import SourceError, StoreError
from ragcli.index.folder import IndexFolder
from ragcli.index.publishing.writer import Writer
from ragcli.parse.files.pool import parse_files
from ragcli.parse.files.walk import SourceFile
from ragcli.parse.parsed import Parsed
from ragcli.pipelines.ingesting.ingest import ingest
from ragcli.pipelines.ingesting.ingest_result import IngestResult
from tests.index.corpus import MODEL, vectors
from tests.parse.builders import make_pdf, write_tree

Run = Callable[..., IngestResult]


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    with IndexFolder(tmp_path / "index").writer() as opened:
        yield opened


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", {"a.md": "# Alpha\n\nfirst", "hr/b.md": "# Beta\n\nsecond", "c.txt": "third"})


def run(writer: Writer, *paths: Path, **options: object) -> IngestResult:
    config = options.pop("config", None) or Config(ingest=IngestConfig(workers=1))
    return ingest(list(paths), config=config, writer=writer, **options)  # type: ignore[arg-type]


def counts(result: IngestResult) -> tuple[int, int, int, int]:
    return result.added, result.changed, result.removed, result.unchanged


def texts(writer: Writer) -> dict[str, str]:
    return {doc_id: writer.staging.document(doc_id).text for doc_id in writer.staging.document_keys()}


def test_a_lost_catalogue_stops_before_other_folders_and_groups_are_lost(tmp_path: Path, docs: Path) -> None:
    """Two folders, one for a group, are published; then the staging folder goes. An ingest of one must not publish."""
    index, more = IndexFolder(tmp_path / "index"), write_tree(tmp_path / "more", {"d.md": "# Delta"})
    with index.writer() as writer:
        run(writer, docs, acl=["hr"])
        run(writer, more)
        for doc_id, key in writer.staging.document_keys().items():
            writer.staging.put_chunks(doc_id, key, "none", [])
        writer.publish(embedder=MODEL, vectors=vectors, config=Config())
    shutil.rmtree(tmp_path / "index" / "staging")
    with index.writer() as writer:
        with pytest.raises(StoreError, match=r"knows of no ingest, but .*docs, .*more") as caught:
            run(writer, docs)
        assert "--acl" in caught.value.hint
        assert not writer.staging.roots()
        assert counts(run(writer, docs, acl=["hr"], max_delete=100)) == (3, 0, 0, 0)
        assert counts(run(writer, more)) == (1, 0, 0, 0)


def test_only_what_changed_is_parsed_again(writer: Writer, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert counts(run(writer, docs)) == (3, 0, 0, 0)
    keys = writer.staging.document_keys()
    assert sorted(keys) == ["a.md", "c.txt", "hr/b.md"]
    monkeypatch.setattr("ragcli.pipelines.ingesting.ingest_files.parse_files", lambda *_: pytest.fail("parsed again"))
    again = run(writer, docs)
    assert counts(again) == (0, 0, 0, 3)
    assert [report.path for report in again.files] == ["a.md", "c.txt", "hr/b.md"]
    os.utime(docs / "a.md", ns=(1, 1))
    assert counts(run(writer, docs)) == (0, 0, 0, 3)
    assert writer.staging.document_keys() == keys


def test_changes_additions_and_losses(writer: Writer, docs: Path) -> None:
    run(writer, docs)
    (docs / "a.md").write_text("# Alpha\n\nrewritten")
    (docs / "new.txt").write_text("fourth")
    (docs / "c.txt").unlink()
    assert counts(run(writer, docs, max_delete=50)) == (1, 1, 1, 1)
    assert texts(writer) == {"a.md": "# Alpha\n\nrewritten", "hr/b.md": "# Beta\n\nsecond", "new.txt": "fourth"}


def test_a_renamed_file_is_not_lost(writer: Writer, docs: Path) -> None:
    run(writer, docs)
    (docs / "c.txt").rename(docs / "moved.txt")
    (docs / "hr").rename(docs / "people")
    assert counts(run(writer, docs)) == (2, 0, 2, 1)
    assert sorted(texts(writer)) == ["a.md", "moved.txt", "people/b.md"]
    (docs / "moved.txt").unlink()
    (docs / "a.md").unlink()
    (docs / "other.txt").write_text("3rd!!")
    with pytest.raises(SourceError, match="2 of 3 documents are gone"):
        run(writer, docs)


def test_one_of_several_documents_may_go_unless_none_may(writer: Writer, docs: Path) -> None:
    run(writer, docs)
    (docs / "c.txt").unlink()
    with pytest.raises(SourceError, match="1 of 3 documents are gone"):
        run(writer, docs, max_delete=0)
    assert counts(run(writer, docs)) == (0, 0, 1, 2)
    (docs / "a.md").unlink()
    assert counts(run(writer, docs)) == (0, 0, 1, 1)
    (docs / "hr" / "b.md").unlink()
    with pytest.raises(SourceError, match="1 of 1 documents are gone"):
        run(writer, docs)


def test_a_loss_over_the_limit_stops_before_anything_is_done(writer: Writer, docs: Path) -> None:
    run(writer, docs)
    before = writer.staging.document_keys()
    (docs / "c.txt").unlink()
    (docs / "a.md").unlink()
    with pytest.raises(SourceError, match="2 of 3 documents are gone") as caught:
        run(writer, docs)
    assert "--max-delete 67" in caught.value.hint
    assert writer.staging.document_keys() == before
    with pytest.raises(SourceError):
        run(writer, docs / "nowhere")


def test_a_file_that_became_unreadable_keeps_its_documents(writer: Writer, docs: Path) -> None:
    (docs / "d.pdf").write_bytes(make_pdf([[(72, 100, 11, "Paper text")]]))
    run(writer, docs)
    (docs / "d.pdf").write_bytes(b"%PDF-1.7 broken")
    result = run(writer, docs)
    assert counts(result) == (0, 0, 0, 4)
    report = next(report for report in result.files if report.path == "d.pdf")
    assert report.skipped and "are kept" in report.warnings[-1]
    assert texts(writer)["d.pdf"] == "Paper text"


def test_what_was_lost_is_named(writer: Writer, docs: Path) -> None:
    (docs / "bad.docx").write_bytes(b"PK\x03\x04 broken")
    assert [report.path for report in run(writer, docs).lost] == ["bad.docx"]


def test_a_dry_run_changes_nothing(writer: Writer, docs: Path) -> None:
    result = run(writer, docs, dry_run=True)
    assert (len(result.planned), sum(file.size for file in result.planned)) == (3, 33)
    assert writer.staging.roots() == [] and writer.staging.document_keys() == {}


def test_two_roots_with_the_same_path_inside(writer: Writer, docs: Path, tmp_path: Path) -> None:
    other = write_tree(tmp_path / "other", {"a.md": "another alpha"})
    run(writer, docs)
    assert counts(run(writer, other)) == (1, 0, 0, 0)
    assert texts(writer)["a.md"] == "# Alpha\n\nfirst"
    assert texts(writer)["other/a.md"] == "another alpha"
    assert counts(run(writer, other)) == (0, 0, 0, 1)


def test_rules_and_flags_reach_documents_without_parsing_again(
    writer: Writer, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(writer, docs)
    monkeypatch.setattr("ragcli.pipelines.ingesting.ingest_files.parse_files", lambda *_: pytest.fail("parsed again"))
    config = Config(ingest=IngestConfig(workers=1, rules=(PathRule("hr/**", {"status": "final"}),)))
    assert counts(run(writer, docs, config=config, acl=["staff"])) == (0, 3, 0, 0)
    assert writer.staging.document("hr/b.md").metadata.status == "final"
    assert writer.staging.document("a.md").metadata.acl == ("staff",)


def test_a_file_stopped_by_a_limit_is_tried_again_when_the_limit_moves(writer: Writer, docs: Path) -> None:
    locked = make_pdf([[(72, 100, 11, "Salaries")]], encryption=4, user_pw="open", owner_pw="own")
    write_tree(docs, {"pay.pdf": locked})
    assert counts(run(writer, docs)) == (3, 0, 0, 0)
    assert counts(run(writer, docs)) == (0, 0, 0, 3)
    parsed: list[str] = []
    known = Config(ingest=IngestConfig(workers=1, passwords=("open",)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ragcli.pipelines.ingesting.ingest_files.parse_files", _noted(parsed))
        assert counts(run(writer, docs, config=known)) == (1, 0, 0, 3)
    assert parsed == ["pay.pdf"]
    assert texts(writer)["pay.pdf"] == "Salaries"


def _noted(parsed: list[str]) -> Callable[..., Iterator[Parsed]]:
    def parse(files: list[SourceFile], *rest: object) -> Iterator[Parsed]:
        parsed.extend(file.relative for file in files)
        return parse_files(files, *rest)  # type: ignore[arg-type]

    return parse


EMPTY_ACCESS = ["acl: []", 'acl: ""', "acl:", "groups: [' ']"]


@pytest.mark.parametrize("line", EMPTY_ACCESS)
def test_access_for_nobody_takes_a_document_out(writer: Writer, docs: Path, line: str) -> None:
    run(writer, docs)
    (docs / "a.md").write_text(f"---\n{line}\n---\n# Alpha\n\nnow restricted")
    result = run(writer, docs)
    assert sorted(texts(writer)) == ["c.txt", "hr/b.md"]
    report = result.files[0]
    assert (report.path, report.documents, report.withheld) == ("a.md", 0, True)
    assert "names no group: who may see it cannot be told (name a group" in str(report.skipped)


def test_a_rule_for_nobody_takes_its_documents_out(writer: Writer, docs: Path) -> None:
    run(writer, docs)
    rules = (PathRule("hr/**", {"acl": ["hr"]}), PathRule("hr/b*", {"acl": []}))
    result = run(writer, docs, config=Config(ingest=IngestConfig(workers=1, rules=rules)))
    assert sorted(texts(writer)) == ["a.md", "c.txt"]
    assert "ingest.rules[1]: acl names no group" in str(result.files[2].skipped)
    rules = (rules[1], rules[0])
    run(writer, docs, config=Config(ingest=IngestConfig(workers=1, rules=rules)))
    assert writer.staging.document("hr/b.md").metadata.acl == ("hr",)


def test_a_rule_that_fits_no_file_is_named(writer: Writer, docs: Path) -> None:
    paths = ("hr/**", "hr/B.md", "./hr/", "c.txt", "board")
    rules = tuple(PathRule(path, {"acl": ["hr"]}) for path in paths)
    result = run(writer, docs, config=Config(ingest=IngestConfig(workers=1, rules=rules)))
    assert [notice.split(",")[0] for notice in result.notices] == [
        "ingest.rules[1]: 'hr/B.md' fits no file",
        "ingest.rules[4]: 'board' fits no file",
    ]
