"""Whether a search finds the page: Hit@5 and Hit@20 over a golden set whose cases name pages of PDFs.

    python -m tests.benchmarks.page_hits --keep FOLDER [financebench] [--modes hybrid bm25]

A hit is a chunk that lies, in part at least, on a page that a case names (``pages``: ``doc`` and ``page_0based``).
Retrieval is as by default, of the whole set's documents. ``--keep`` holds the index between runs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragcli import Index
from ragcli.application.settings import settings_of
from ragcli.records import Retrieval
from tests.benchmarks.retrieval import golden_folder, read_cases

DEPTHS = (5, 20)


def main() -> None:
    """Build or bring up to date the index, then print a line per mode."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", nargs="?", default="financebench")
    parser.add_argument("--keep", type=Path, required=True, help="folder that holds the index")
    parser.add_argument("--modes", nargs="+", default=["hybrid", "bm25", "dense"])
    parser.add_argument("--cases", action="store_true", help="print the rank of each case as well")
    arguments = parser.parse_args()
    folder = golden_folder(arguments.set)
    cases = [case for case in read_cases(folder) if case.get("pages")]
    for mode in arguments.modes:
        settings = {"index.path": str(arguments.keep / folder.name), "retrieve.mode": mode, "retrieve.k": max(DEPTHS)}
        with Index(settings_of(settings, None)) as index:
            index.ingest([folder / "docs"])
            ranks = [_rank(index.search(case["question"]), case) for case in cases]
            hits = {k: sum(rank is not None and rank <= k for rank in ranks) for k in DEPTHS}
            shown = "  ".join(f"page Hit@{k} {count / len(cases):.3f} ({count})" for k, count in hits.items())
            print(f"{folder.name} {mode:7} n={len(cases)}  {shown}", flush=True)
            if arguments.cases:
                print(json.dumps({case["id"]: rank for case, rank in zip(cases, ranks, strict=True)}))


def _rank(found: Retrieval, case: Mapping[str, Any]) -> int | None:
    wanted = {(page["doc"], page["page_0based"] + 1) for page in case["pages"]}
    for rank, hit in enumerate(found.hits, 1):
        first, last = hit.chunk.first_page or 0, hit.chunk.last_page or 0
        if any(hit.chunk.doc_id == doc and first <= page <= last for doc, page in wanted):
            return rank
    return None


if __name__ == "__main__":
    main()
