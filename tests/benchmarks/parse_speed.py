"""Parses born-digital PDFs with the product and with bare PyMuPDF text extraction, in one run, and prints both times.

    python tests/benchmarks/parse_speed.py [PDF_OR_FOLDER ...] [--rounds N]

Without paths: the PDFs with a text layer among the shared hard files (``RAGCLI_SHARED_DATA`` or ``../shared/data``).
Bare PyMuPDF reads them one after another in this process; the product uses its parsing processes, started anew each
round. The second line of figures leaves their start (interpreter, imports) out, measured on an empty text file.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from ragcli.config import IngestConfig  # noqa: E402
from ragcli.parse.files.pool import parse_files  # noqa: E402
from ragcli.parse.files.walk import SourceFile  # noqa: E402

KINDS = ("pdf_groundtruth", "pdf_long", "pdf_two_column", "pdf_tables", "pdf_misc", "pdf_scripts")


def main() -> None:
    """Print the best of several rounds of each."""
    import pymupdf

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    files = [file for file in _files(arguments.paths) if _has_text(pymupdf, file)]
    pages = sum(len(pymupdf.open(file)) for file in files)
    bare, product, start = [], [], []
    for _ in range(arguments.rounds):
        bare.append(_timed(lambda: [page.get_text() for file in files for page in pymupdf.open(file)]))
        product.append(_timed(lambda: _parse(files)))
        start.append(_timed(_parse_nothing))
    print(f"{len(files)} files, {pages} pages, {os.cpu_count()} cores, best of {arguments.rounds}")
    print(f"bare PyMuPDF text   {min(bare):7.2f} s")
    print(f"product             {min(product):7.2f} s   {min(product) / min(bare):.2f} x")
    net = min(product) - min(start)
    print(f"without its start   {net:7.2f} s   {net / min(bare):.2f} x")


def _files(paths: list[Path]) -> list[Path]:
    data = Path(os.environ.get("RAGCLI_SHARED_DATA") or ROOT.parent / "shared" / "data")
    roots = paths or [data / "hard" / kind for kind in KINDS]
    return sorted(file for root in roots for file in ([root] if root.is_file() else root.rglob("*.pdf")))


def _has_text(pymupdf: object, file: Path) -> bool:
    document = pymupdf.open(file)  # type: ignore[attr-defined]
    return not document.needs_pass and any(page.get_text().strip() for page in document)


def _timed(work: object) -> float:
    started = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - started


def _parse(files: list[Path]) -> None:
    sources = [SourceFile(file, file.name, file.stat().st_size, 0) for file in files]
    sources.sort(key=lambda source: -source.size)
    for parsed in parse_files(sources, IngestConfig(ocr="off")):
        assert parsed.documents, parsed.reports


def _parse_nothing() -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.txt" for number in range(os.cpu_count() or 1)]
        for path in paths:
            path.write_text("a short text of one line in English")
        for _ in parse_files([SourceFile(path, path.name, 1, 0) for path in paths], IngestConfig()):
            pass


if __name__ == "__main__":
    main()
