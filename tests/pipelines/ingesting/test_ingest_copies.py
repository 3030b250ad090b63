"""Copies of a text are kept once, and come back when what stood for them goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragcli.config import Config, IngestConfig, PathRule
from ragcli.errors import ConfigError
from ragcli.index.publishing.writer import Writer
from tests.parse.builders import write_tree
from tests.pipelines.ingesting.test_ingest import counts, run, texts, writer  # noqa: F401

LONG = " ".join(
    f"{first}{second}"
    for first in ("ba", "de", "fi", "go", "hu", "ka")
    for second in ("lor", "min", "pet", "sul", "tan")
)


RULES = (PathRule("hr", {"acl": ["hr"]}), PathRule("it/", {"acl": ["it"]}))
CLOSED = Config(ingest=IngestConfig(workers=1, rules=RULES))


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


def test_a_document_that_was_changed_names_its_former_copies_no_more(writer: Writer, tmp_path: Path) -> None:  # noqa: F811
    docs = write_tree(tmp_path / "docs", {"a.txt": "same text", "b.txt": "same text"})
    run(writer, docs)
    for text in ("another text with 7", "another text with 8", "another text with 9"):
        (docs / "a.txt").write_text(text)
        run(writer, docs)
        assert also_in(writer) == {"a.txt": (), "b.txt": ()}
        (docs / "a.txt").write_text("same text")
        run(writer, docs)
        assert also_in(writer) == {"a.txt": ("b.txt",)}


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


def test_near_copies_for_other_readers_stay_apart(writer: Writer, tmp_path: Path) -> None:  # noqa: F811
    files = {"a.txt": LONG, "hr/a.txt": f"{LONG} end", "hr/b.txt": f"{LONG} end"}
    docs = write_tree(tmp_path / "docs", files)
    run(writer, docs, config=Config(ingest=IngestConfig(workers=1, near_duplicates=0.9, rules=RULES)))
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
    run(writer, docs / "hr", meta={"type": "note"})  # says nothing of groups: they stay
    assert acls() == [(), ("hr",), ("hr",)]
    for unnamed in ([""], ["hr", " "]):
        with pytest.raises(ConfigError, match="names no group"):
            run(writer, docs / "hr", acl=unnamed)
    assert acls() == [(), ("hr",), ("hr",)]
    notices = run(writer, docs / "hr", acl=[]).notices
    assert acls() == [(), (), ()]
    assert "--no-acl gives its documents no group" in notices[0]


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


def acl(writer: Writer) -> dict[str, tuple[str, ...]]:  # noqa: F811
    return {doc_id: writer.staging.document(doc_id).metadata.acl for doc_id in writer.staging.document_keys()}


def test_an_open_copy_of_a_closed_text_is_closed_while_the_closed_one_is_there(
    writer: Writer,  # noqa: F811
    tmp_path: Path,
) -> None:
    docs = write_tree(tmp_path / "docs", {"a/pay.txt": "pay is 17", "hr/pay.txt": "pay  is 17", "b.txt": "other"})
    result = run(writer, docs, config=CLOSED)
    assert acl(writer) == {"a/pay.txt": ("hr",), "b.txt": ()}
    assert also_in(writer)["a/pay.txt"] == ("hr/pay.txt",)
    assert "a/pay.txt: only for hr, because a copy of it is" in result.notices
    write_tree(docs, {"c/pay.txt": "pay is 17", "0.txt": "pay is 17"})
    run(writer, docs, config=CLOSED)
    assert acl(writer) == {"0.txt": ("hr",), "b.txt": ()}
    (docs / "hr/pay.txt").unlink()
    run(writer, docs, config=CLOSED, max_delete=100)
    assert acl(writer) == {"0.txt": (), "b.txt": ()}
    assert also_in(writer)["0.txt"] == ("a/pay.txt", "c/pay.txt")


def test_copies_for_several_groups(writer: Writer, tmp_path: Path) -> None:  # noqa: F811
    docs = write_tree(tmp_path / "docs", {"hr/x.txt": "same text", "it/x.txt": "same text"})
    run(writer, docs, config=CLOSED)
    assert acl(writer) == {"hr/x.txt": ("hr",), "it/x.txt": ("it",)}
    write_tree(docs, {"open.txt": "same text"})
    run(writer, docs, config=CLOSED)
    assert acl(writer) == {"hr/x.txt": ("hr",), "it/x.txt": ("it",), "open.txt": ("hr", "it")}
    run(writer, docs)
    assert acl(writer) == {"hr/x.txt": ()}
    assert also_in(writer) == {"hr/x.txt": ("it/x.txt", "open.txt")}


def test_a_copy_that_comes_back_for_a_near_one_is_closed_still(writer: Writer, tmp_path: Path) -> None:  # noqa: F811
    near = {"hr/a.txt": f"{LONG} end", "m.txt": LONG, "hr/z.txt": LONG}
    config = Config(ingest=IngestConfig(workers=1, near_duplicates=0.9, rules=RULES))
    docs = write_tree(tmp_path / "docs", near)
    run(writer, docs, config=config)
    assert acl(writer) == {"hr/a.txt": ("hr",)}
    assert also_in(writer)["hr/a.txt"] == ("hr/z.txt", "m.txt")
    (docs / "hr/a.txt").unlink()
    run(writer, docs, config=config, max_delete=100)
    assert set(acl(writer).values()) == {("hr",)}


def test_a_link_is_no_more_open_than_what_it_leads_to(writer: Writer, tmp_path: Path) -> None:  # noqa: F811
    docs = write_tree(tmp_path / "docs", {"hr/pay.txt": "pay is 17", "open/news.txt": "news are 4", "it/x.txt": "x"})
    (docs / "open" / "link.txt").symlink_to(docs / "hr" / "pay.txt")
    (docs / "it" / "link.txt").symlink_to(docs / "hr" / "pay.txt")
    (docs / "hr" / "news.txt").symlink_to(docs / "open" / "news.txt")
    result = run(writer, docs, config=CLOSED)
    closed = {doc_id: groups for doc_id, groups in acl(writer).items() if "x.txt" not in doc_id}
    assert closed == {"hr/pay.txt": ("hr",), "open/news.txt": ("hr",)}
    passed_over = {report.path: report.skipped for report in result.files if report.passed_over}
    assert passed_over["it/link.txt"] == "a link to hr/pay.txt, which is read there"


def test_what_is_read_under_a_link_is_for_those_who_may_see_it_where_it_is(
    writer: Writer,  # noqa: F811
    tmp_path: Path,
) -> None:
    docs = write_tree(tmp_path / "docs", {"hr/.deep/pay.txt": "pay is 17", "x.txt": "x"})
    (docs / "open.txt").symlink_to(docs / "hr/.deep/pay.txt")
    result = run(writer, docs, config=CLOSED)
    assert acl(writer) == {"open.txt": ("hr",), "x.txt": ()}
    (docs / "open.txt").unlink()
    (docs / "it").mkdir()
    (docs / "it" / "link.txt").symlink_to(docs / "hr/.deep/pay.txt")
    result = run(writer, docs, config=CLOSED, max_delete=100)
    assert acl(writer) == {"x.txt": ()}
    assert ["a link to hr/.deep/pay.txt" in str(report.skipped) for report in result.files if report.withheld] == [True]


def test_a_link_from_a_closed_folder_closes_what_it_leads_to_as_long_as_it_is_there(
    writer: Writer,  # noqa: F811
    tmp_path: Path,
) -> None:
    docs = write_tree(tmp_path / "docs", {"open/news.txt": "news are 4", "secret/x.txt": "x"})
    run(writer, docs)
    (docs / "secret" / "all").symlink_to(docs / "open")
    run(writer, docs / "secret", acl=["board"])
    assert acl(writer) == {"open/news.txt": ("board",), "secret/x.txt": ("board",)}
    (docs / "secret" / "all").unlink()
    run(writer, docs)
    assert acl(writer) == {"open/news.txt": (), "secret/x.txt": ("board",)}


@pytest.mark.parametrize("change", ["deleted", "rewritten"])
def test_a_copy_that_is_one_no_more_is_named_no_more(change: str, writer: Writer, tmp_path: Path) -> None:  # noqa: F811
    docs = write_tree(tmp_path / "docs", {"a.txt": "the same few words", "b.txt": "the same few words"})
    run(writer, docs)
    assert writer.staging.document("a.txt").also_in == ("b.txt",)
    if change == "deleted":
        (docs / "b.txt").unlink()
    else:
        (docs / "b.txt").write_text("something else altogether")
    run(writer, docs, max_delete=100)
    assert writer.staging.document("a.txt").also_in == ()
