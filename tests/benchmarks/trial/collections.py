"""The collections that are asked about, and an index of each."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragcli import Index
from ragcli.pipelines.asking.reader import Reader
from tests.benchmarks.answers_edits import shared_data
from tests.sample_docx import docx
from tests.sample_lines import lines_of, title_of
from tests.sample_pdf import save_pdf, sheet

HERE = Path(__file__).resolve().parent
REPORTS = ("AMCOR_2023Q4_EARNINGS.pdf", "MGMRESORTS_2022Q4_EARNINGS.pdf", "ULTABEAUTY_2023Q4_EARNINGS.pdf")


@dataclass(frozen=True)
class Question:
    """One question. ``expected`` says in words what a right answer holds; "" where the collection answers nothing."""

    id: str
    question: str
    expected: str

    @property
    def answerable(self) -> bool:
        """Whether the collection holds the answer."""
        return bool(self.expected)


def questions(name: str) -> list[Question]:
    """The questions about one collection, in the order of the file."""
    rows: list[dict[str, Any]] = [
        json.loads(line) for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    return [Question(row["id"], row["question"], row.get("expected", "")) for row in rows]


def reader_for(name: str, work: Path) -> Reader:
    """An index of the collection under ``work``, made when it is not there."""
    index = work / name / ".rag"
    if not (index / "CURRENT").exists():
        files = work / name / "files"
        COLLECTIONS[name](files)
        command = [sys.executable, "-m", "ragcli", "--index", str(index), "ingest", str(files), "--quiet"]
        subprocess.run(command, check=True)
    return Index.open(index).reader


def _written(name: str) -> Callable[[Path], None]:
    """The files written for the trial; what ends in ``.docx.txt`` or ``.pdf.txt`` as the file that it describes."""
    return lambda folder: _write(HERE / name, folder)


def _write(sources: Path, folder: Path) -> None:
    shutil.copytree(sources, folder, ignore=shutil.ignore_patterns("*.docx.txt", "*.pdf.txt"))
    for source in sorted(sources.rglob("*.*.txt")):
        lines = lines_of(source)
        target = folder / source.relative_to(sources).with_suffix("")
        if target.suffix == ".docx":
            docx(lines, target)
        else:
            save_pdf(sheet(lines), target, title_of(lines))


def _golden(name: str) -> Callable[[Path], None]:
    return lambda folder: _copy(shared_data() / "golden" / name / "docs", folder)


def _reports(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in REPORTS:
        shutil.copy(shared_data() / "golden" / "financebench" / "docs" / name, folder)


def _copy(source: Path, folder: Path) -> None:
    shutil.copytree(source, folder)


COLLECTIONS: dict[str, Callable[[Path], None]] = {
    "own": _written("own"),
    "club": _written("club"),
    "anthropic_docs": _golden("anthropic_docs"),
    "datatalks_faq": _golden("datatalks_faq"),
    "financebench": _reports,
    "18f_handbook": lambda folder: _copy(shared_data() / "trees" / "18f_handbook", folder),
}
"""Name of a collection and what puts its files into a folder."""
