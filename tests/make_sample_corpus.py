"""Makes the PDF and DOCX files of the sample corpus from the text files in ``sample_corpus_sources``.

Usage, in the repository's folder: ``python -m tests.make_sample_corpus [TARGET]``; TARGET is ``sample_corpus``
unless named.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.sample_docx import docx
from tests.sample_lines import read_lines, title_of
from tests.sample_pdf import datasheet, save_pdf, scan, sheet

TARGET = Path(__file__).resolve().parents[1] / "sample_corpus"
FILES = {
    "products/x200-datasheet.pdf": "x200-datasheet.txt",
    "finance/per-diem-rates.pdf": "per-diem-rates.txt",
    "office/lease-summary-scan.pdf": "lease-summary-scan.txt",
    "finance/purchasing.docx": "purchasing.txt",
    "hr/performance-review.docx": "performance-review.txt",
    "support/rma-process.docx": "rma-process.txt",
}


def make(target: Path) -> list[Path]:
    """Writes every binary file of the corpus below ``target`` and returns their paths."""
    for name, source in FILES.items():
        lines = read_lines(source)
        path = target / name
        if path.suffix == ".docx":
            docx(lines, path)
        elif name.startswith("products/"):
            datasheet(lines, path)
        elif "scan" in name:
            scan(lines, path)
        else:
            save_pdf(sheet(lines, "Ostermere Instruments | Finance"), path, title_of(lines))
    return [target / name for name in FILES]


if __name__ == "__main__":
    for made in make(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET):
        print(f"{made} {made.stat().st_size:,} bytes")
