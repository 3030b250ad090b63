"""Runs the parsers over the shared hard files and prints how much of what they hold comes out.

    python tests/benchmarks/parse_quality.py [DATA_DIR] [--keep FOLDER] [--only CATEGORY]

``DATA_DIR`` (default: RAGCLI_SHARED_DATA, or ``../shared/data`` beside the repository) holds ``hard/``,
``hard_expected/``, ``hard_index.jsonl`` and ``tools/score_parse.py``, whose table is printed after the losses.
Files with a password in the index are read with it.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import time
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from ragcli.config import IngestConfig  # noqa: E402
from ragcli.parse.files.pool import parse_files  # noqa: E402
from ragcli.parse.files.walk import SourceFile, walk  # noqa: E402
from ragcli.parse.parsed import Parsed  # noqa: E402
from ragcli.records import FileReport  # noqa: E402


def main() -> None:
    """Parse, write the texts, print the losses, the encodings and the scores."""
    arguments = _arguments()
    data: Path = arguments.data
    index = [json.loads(line) for line in (data / "hard_index.jsonl").open(encoding="utf-8")]
    passwords = tuple(sorted({entry["password"] for entry in index if entry.get("password")}))
    config = IngestConfig(passwords=passwords, ocr=arguments.ocr)
    started = time.perf_counter()
    met = list(walk(data / "hard", config, arguments.only))
    unread = [item for item in met if isinstance(item, FileReport)]
    parsed = list(parse_files([item for item in met if isinstance(item, SourceFile)], config))
    seconds = time.perf_counter() - started
    with tempfile.TemporaryDirectory() as folder:
        output = Path(arguments.keep or folder)
        for item in parsed:
            _write(output, item)
        _print_reports(parsed, unread, seconds)
        _print_exact(data, output, index)
        _score(data, output, arguments.only)


def _arguments() -> argparse.Namespace:
    default = Path(os.environ.get("RAGCLI_SHARED_DATA") or ROOT.parent / "shared" / "data")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, default=default)
    parser.add_argument("--keep", help="write the texts here and leave them")
    parser.add_argument("--only", default="", help="one category, such as docx")
    parser.add_argument("--ocr", default="auto", choices=("auto", "off", "force"))
    return parser.parse_args()


def _write(output: Path, item: Parsed) -> None:
    if item.documents:
        path = output / f"{item.file.relative}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(document.text for document in item.documents), encoding="utf-8", newline="")


def _print_reports(parsed: list[Parsed], unread: list[FileReport], seconds: float) -> None:
    reports = [report for item in parsed for report in item.reports] + unread
    for report in reports:
        for note in filter(None, (report.skipped, *report.warnings)):
            print(f"{report.path}: {note}")
        if report.image_only_pages and not report.skipped:
            print(f"{report.path}: {report.image_only_pages} of {report.pages} pages are images without text")
    counts = collections.Counter("skipped" if report.skipped else "read" for report in reports)
    print(f"\n{len(parsed)} files in {seconds:.1f} s; reports: {dict(counts)}")
    unnamed = [item.file.relative for item in parsed if not item.documents and not any(r.skipped for r in item.reports)]
    print(f"files without text and without a reason: {unnamed or 0}\n")


def _print_exact(data: Path, output: Path, index: list[dict[str, str]]) -> None:
    """The derived copies (encodings, line ends) must come out character for character."""
    wrong = []
    derived = [entry for entry in index if entry["category"] == "derived" and "expected_file" in entry]
    for entry in derived:
        path = output / f"{entry['path'].removeprefix('hard/')}.txt"
        found = path.read_text(encoding="utf-8") if path.exists() else ""
        expected = (data / entry["expected_file"]).read_text(encoding="utf-8").removeprefix("\ufeff")
        if found != unicodedata.normalize("NFC", expected):
            wrong.append(entry["path"])
    print(f"derived copies exact: {len(derived) - len(wrong)} of {len(derived)} {wrong or ''}\n")


def _score(data: Path, output: Path, only: str) -> None:
    command = [sys.executable, str(data / "tools" / "score_parse.py"), str(data), str(output), only]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
