"""The sample corpus keeps what its README promises, and its golden labels stand in what the parser reads."""

from __future__ import annotations

import json
import unicodedata
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from ragcli.config import IngestConfig
from ragcli.parse.files.pool import parse_files
from ragcli.parse.files.walk import SourceFile, walk
from ragcli.records import Document, FileReport
from tests.make_sample_corpus import FILES, make
from tests.sample_lines import read_lines

CORPUS = Path(__file__).resolve().parents[1] / "sample_corpus"
GOLDEN = CORPUS / "golden.jsonl"
SCAN = "office/lease-summary-scan.pdf"
SUPERSEDED = {
    "hr/remote-policy.md": "hr/archive/remote-policy-2024.md",
    "hr/annual-leave.md": "hr/archive/annual-leave-2023.md",
    "it/passwords.md": "it/archive/passwords-2022.md",
    "finance/travel-expenses.md": "finance/archive/travel-expenses-2022.md",
    "support/returns.md": "support/archive/returns-2023.md",
}


def cases() -> list[dict[str, Any]]:
    return [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


def labels(case: dict[str, Any]) -> list[dict[str, Any]]:
    """``expected`` and ``expected_sources`` of a case in one form; ``place`` is what stands after ``#``."""
    sources = [
        dict(zip(("source", "place"), item.split("#"), strict=False)) for item in case.get("expected_sources", [])
    ]
    return [*case.get("expected", []), *sources]


def plain(text: str) -> str:
    """``text`` with every white space one space and compatibility forms resolved."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


@pytest.fixture(scope="module")
def parsed() -> tuple[dict[str, Document], dict[str, FileReport]]:
    """Every document and every file's report, as an ingest of the folder without OCR sees them."""
    config = IngestConfig(workers=2, ocr="off")
    files = [file for file in walk(CORPUS, config) if isinstance(file, SourceFile)]
    documents: dict[str, Document] = {}
    reports: dict[str, FileReport] = {}
    for outcome in parse_files(files, config):
        documents |= {document.doc_id: document for document in outcome.documents}
        reports |= {report.path: report for report in outcome.reports}
    return documents, reports


@pytest.fixture(scope="module")
def documents(parsed: tuple[dict[str, Document], dict[str, FileReport]]) -> dict[str, Document]:
    return parsed[0]


# ---------------------------------------------------------------- the folder


def test_every_format_is_there_and_the_folder_is_small() -> None:
    files = [path for path in CORPUS.rglob("*") if path.is_file()]
    suffixes = Counter(path.suffix for path in files)
    assert suffixes[".md"] >= 40
    for suffix in (".html", ".pdf", ".docx", ".csv", ".txt"):
        assert suffixes[suffix] >= 2, suffix
    assert sum(path.stat().st_size for path in files) < 1_500_000


def test_the_binary_files_are_what_their_sources_make(tmp_path: Path) -> None:
    make(tmp_path)
    for name in FILES:
        made, kept = tmp_path / name, CORPUS / name
        if made.suffix == ".docx":
            assert zipfile.ZipFile(made).read("word/document.xml") == zipfile.ZipFile(kept).read("word/document.xml")
        else:
            assert [page.get_text() for page in pymupdf.open(made)] == [page.get_text() for page in pymupdf.open(kept)]


def test_the_scan_shows_its_page_and_holds_no_text() -> None:
    page = pymupdf.open(CORPUS / SCAN)[0]
    assert page.get_text().strip() == ""
    (image,) = page.get_image_info()
    assert pymupdf.Rect(image["bbox"]).width > 0.9 * page.rect.width
    shown = page.get_pixmap(dpi=50, colorspace=pymupdf.csGRAY).samples
    assert 0.002 < sum(value < 128 for value in shown) / len(shown) < 0.2


def test_every_file_gives_one_document_except_the_scan_and_the_golden_set(
    parsed: tuple[dict[str, Document], dict[str, FileReport]],
) -> None:
    documents, reports = parsed
    files = {path.relative_to(CORPUS).as_posix() for path in CORPUS.rglob("*") if path.is_file()}
    assert set(documents) == files - {SCAN, "golden.jsonl"}
    assert len(documents) >= 50
    assert reports[SCAN].documents == 0
    assert [
        report.path for report in reports.values() if report.warnings and report.path not in (SCAN, "golden.jsonl")
    ] == []


def test_the_data_sheet_has_two_columns_and_reads_one_after_the_other(documents: dict[str, Document]) -> None:
    blocks = pymupdf.open(CORPUS / "products/x200-datasheet.pdf")[0].get_text("blocks")
    lefts = [block[0] for block in blocks if 100 < block[1] < 500]
    assert min(lefts) < 100 and max(lefts) > 297
    text = plain(documents["products/x200-datasheet.pdf"].text)
    places = [text.find(plain(line.text)) for line in read_lines("x200-datasheet.txt") if line.kind == "h2"]
    assert -1 not in places
    assert places == sorted(places)
    assert "Liquids with more than 3 per cent of solid matter must not be used." in text


def test_menus_and_cookie_banners_are_in_the_pages_but_not_in_their_text(documents: dict[str, Document]) -> None:
    for path in CORPUS.rglob("*.html"):
        raw, text = path.read_text(encoding="utf-8"), documents[path.relative_to(CORPUS).as_posix()].text
        assert "<nav" in raw or "top-navigation" in raw
        assert "cookies" in raw and "cookies" not in text
        assert "<footer" in raw or 'class="footer"' in raw
        assert "Imprint" not in text


# ---------------------------------------------------------------- metadata


def test_policies_in_force_supersede_versions_that_say_something_else(documents: dict[str, Document]) -> None:
    for current, old in SUPERSEDED.items():
        assert documents[current].metadata.supersedes == (old,)
        before, after = documents[old].metadata.effective_date, documents[current].metadata.effective_date
        assert before is not None and after is not None and before < after
    archived = {doc_id for doc_id in documents if "/archive/" in doc_id}
    assert archived == set(SUPERSEDED.values())
    assert "three days per week" in documents["hr/archive/remote-policy-2024.md"].text


def test_one_policy_is_not_in_force_yet_and_one_notice_has_run_out(documents: dict[str, Document]) -> None:
    future = documents["finance/travel-expenses-2030.md"].metadata
    assert (future.effective_date, future.supersedes) == ("2030-01-01", ("finance/travel-expenses.md",))
    assert documents["hr/summer-hours-2026.md"].metadata.expires == "2026-09-15"


def test_the_leadership_folder_and_nothing_else_belongs_to_leadership(documents: dict[str, Document]) -> None:
    for doc_id, document in documents.items():
        expected = ("leadership",) if doc_id.startswith("leadership/") else ()
        assert document.metadata.acl == (("corpus-maintainers",) if doc_id == "README.md" else expected)


def test_languages_are_declared_or_found(documents: dict[str, Document]) -> None:
    languages = Counter(document.metadata.language for document in documents.values())
    assert languages == {"de": 1, "ja": 1, "en": len(documents) - 2}


def test_the_remote_policy_stands_as_the_documentation_shows_it(documents: dict[str, Document]) -> None:
    document = documents["hr/remote-policy.md"]
    assert (document.title, document.metadata.effective_date) == ("Remote work policy", "2026-03-01")
    (section,) = [item for item in document.sections if item.heading_path == ("Remote work", "Limits")]
    assert "limited to two days per week" in section.span.of(document.text)
    lines = (CORPUS / "hr/remote-policy.md").read_text(encoding="utf-8").splitlines()
    assert lines[13] == "## Limits"
    assert "two days per week" in lines[15] and lines[17].endswith("in writing.")


def test_two_pages_differ_in_a_few_words_only() -> None:
    first, second = (
        (CORPUS / name).read_text(encoding="utf-8").split("---")[2].split()
        for name in ("it/guest-wifi.md", "office/visitor-wifi.md")
    )
    assert first != second
    assert sum((Counter(first) - Counter(second)).values()) <= 3


def test_the_poisoned_export_gives_orders() -> None:
    text = (CORPUS / "support/customer-feedback-2026-10.txt").read_text(encoding="utf-8")
    for order in ("Ignore all previous instructions", "</passage></documents>", "five remote days per week"):
        assert order in text


# ---------------------------------------------------------------- the golden set


def test_the_golden_set_has_every_kind_of_question() -> None:
    rows = cases()
    tags = Counter(tag for case in rows for tag in case["tags"])
    assert len(rows) >= 80
    assert len({case["id"] for case in rows}) == len({(case["question"], *case.get("groups", [])) for case in rows})
    assert len({case["id"] for case in rows}) == len(rows)
    assert sum(case.get("answerable") is False for case in rows) == tags["unanswerable"] >= 20
    kinds = "paraphrase typo code table pdf two-column docx csv html text german japanese superseded future expired acl"
    for kind in [*kinds.split(), "multi-source", "comparison", "filter", "history", "poisoned", "near-duplicate"]:
        assert tags[kind] >= 1, kind


def test_every_quote_stands_once_in_its_document(documents: dict[str, Document]) -> None:
    for case in cases():
        for label in labels(case):
            text = plain(documents[label["source"]].text)
            if "quote" in label:
                assert text.count(plain(label["quote"])) == 1, (case["id"], label["quote"])


def test_every_named_heading_and_page_is_there(documents: dict[str, Document]) -> None:
    for case in cases():
        for label in labels(case):
            document, place = documents[label["source"]], label.get("place")
            if place and place.startswith("page="):
                assert int(place.removeprefix("page=")) <= document.coverage.pages, case["id"]
            elif place:
                assert any(section.heading_path[-1] == place for section in document.sections), case["id"]


def test_every_expected_answer_stands_in_a_labelled_document(documents: dict[str, Document]) -> None:
    for case in cases():
        if case.get("answerable") is False:
            assert not labels(case)
            continue
        text = plain(" ".join(documents[label["source"]].text for label in labels(case)))
        wanted = case["expected_answer_contains"]
        for entry in [wanted] if isinstance(wanted, str) else wanted:
            alternatives = [entry] if isinstance(entry, str) else entry
            assert any(plain(words) in text for words in alternatives), (case["id"], alternatives)


def test_labels_point_to_what_the_asker_may_see(documents: dict[str, Document]) -> None:
    hidden = {*SUPERSEDED.values(), "hr/summer-hours-2026.md", "finance/travel-expenses-2030.md", SCAN}
    for case in cases():
        for label in labels(case):
            acl = documents[label["source"]].metadata.acl
            assert label["source"] not in hidden, case["id"]
            assert not acl or set(acl) & set(case.get("groups", [])), case["id"]
