"""Copies of a text are kept once, and come back when what stood for them goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragcli.config import Config, IngestConfig, PathRule
from ragcli.index.publishing.writer import Writer
from tests.parse.builders import write_tree
from tests.pipelines.test_ingest import counts, run, texts, writer  # noqa: F401

LONG = " ".join(
    f"{first}{second}"
    for first in ("ba", "de", "fi", "go", "hu", "ka")
    for second in ("lor", "min", "pet", "sul", "tan")
)


def also_in(writer: Writer) -> dict[str, tuple[str, ...]]:  # noqa: F811
    return {doc_id: writer.staging.document(doc_id).also_in for doc_id in writer.staging.document_keys()}


def test_a_copy_is_kept_once_and_named(writer: Writer, tmp_path: Path) -> None:  # noqa: F811
    docs = write_tree(tmp_path / "docs", {"a.txt": "same text", "b/c.txt": "same  text\n", "d.txt": "other text"})
    result = run(writer, docs)
    assert also_in(writer) == {"a.txt": ("b/c.txt",), "d.txt": ()}
    report = next(report for report in result.files if report.path == "b/c.txt")
    assert (report.documents, report.duplicates_of, report.lost) == (0, ("a.txt",), False)
    keys = writer.staging.document_keys()
    assert counts(run(writer, docs)) == (0, 0, 0, 2)
    assert writer.staging.document_keys() == keys


def test_a_copy_comes_back_when_the_kept_one_goes(writer: Writer, tmp_path: Path) -> None:  # noqa: F811
    docs = write_tree(tmp_path / "docs", {"a.txt": "same text", "b.txt": "same text", "c.txt": "same text"})
    run(writer, docs)
    assert also_in(writer) == {"a.txt": ("b.txt", "c.txt")}
    (docs / "a.txt").unlink()
    run(writer, docs, max_delete=100)
    assert also_in(writer) == {"b.txt": ("c.txt",)}
    (docs / "b.txt").write_text("now something else")
    run(writer, docs)
    assert also_in(writer) == {"b.txt": (), "c.txt": ()}
    assert texts(writer)["c.txt"] == "same text"


def test_the_order_of_arrival_does_not_matter(writer: Writer, tmp_path: Path) -> None:  # noqa: F811
    docs = write_tree(tmp_path / "docs", {"m.txt": "same text"})
    run(writer, docs)
    write_tree(docs, {"a.txt": "same text", "z.txt": "same text"})
    run(writer, docs)
    assert also_in(writer) == {"a.txt": ("m.txt", "z.txt")}


def test_near_copies_merge_but_versions_do_not(writer: Writer, tmp_path: Path) -> None:  # noqa: F811
    docs = write_tree(
        tmp_path / "docs",
        {
            "a.txt": f"{LONG} in the office, limit 20 days",
            "b.txt": f"{LONG} in our office, limit 20 days",
            "c.txt": f"{LONG} in the office, limit 30 days",
            "d.md": f"---\neffective_date: 2026-01-01\n---\n{LONG} in the office, limit 20 days",
        },
    )
    config = Config(ingest=IngestConfig(workers=1, near_duplicates=0.75))
    run(writer, docs, config=config)
    assert also_in(writer) == {"a.txt": ("b.txt",), "c.txt": (), "d.md": ()}


def test_other_readers_keep_their_own(writer: Writer, tmp_path: Path) -> None:  # noqa: F811
    docs = write_tree(tmp_path / "docs", {"a.txt": "same text", "hr/a.txt": "same text", "hr/b.txt": "same text"})
    rules = (PathRule("hr/**", {"acl": ["hr"]}),)
    run(writer, docs, config=Config(ingest=IngestConfig(workers=1, rules=rules)))
    assert also_in(writer) == {"a.txt": (), "hr/a.txt": ("hr/b.txt",)}


def test_flags_hold_until_others_are_given(writer: Writer, tmp_path: Path) -> None:  # noqa: F811
    docs = write_tree(tmp_path / "docs", {"a.txt": "one", "hr/b.txt": "two"})

    def acls() -> list[tuple[str, ...]]:
        return [writer.staging.document(doc_id).metadata.acl for doc_id in writer.staging.document_keys()]

    run(writer, docs)
    run(writer, docs / "hr", acl=["hr"])
    assert sorted(writer.staging.document_keys()) == ["a.txt", "hr/b.txt"]
    assert acls() == [(), ("hr",)]
    (docs / "hr" / "b.txt").write_text("rewritten")
    write_tree(docs, {"hr/c.txt": "new"})
    notices = run(writer, docs).notices
    assert acls() == [(), ("hr",), ("hr",)]
    assert "--acl hr" in notices[0]
    notices = run(writer, docs / "hr", acl=[""]).notices
    assert acls() == [(), (), ()]
    assert "an empty --acl gives its documents no group" in notices[0]


def test_a_wider_root_takes_in_an_inner_one(writer: Writer, tmp_path: Path) -> None:  # noqa: F811
    docs = write_tree(tmp_path / "docs", {"a.txt": "one", "hr/b.txt": "two"})
    run(writer, docs / "hr")
    assert list(writer.staging.document_keys()) == ["b.txt"]
    result = run(writer, docs)
    assert list(writer.staging.document_keys()) == ["a.txt", "hr/b.txt"]
    assert "part of" in result.notices[0]
    assert [root.path for root in writer.staging.roots()] == [docs]


@pytest.mark.parametrize("days", [0, 3650])
def test_retention(writer: Writer, tmp_path: Path, days: int) -> None:  # noqa: F811
    docs = write_tree(tmp_path / "docs", {"old.md": "---\nmodified: 2001-01-01\n---\nold", "new.md": "new"})
    config = Config(ingest=IngestConfig(workers=1, retention_days=days))
    result = run(writer, docs, config=config)
    assert list(texts(writer)) == (["new.md"] if days else ["new.md", "old.md"])
    assert any("retention_days" in warning for report in result.files for warning in report.warnings) is bool(days)
