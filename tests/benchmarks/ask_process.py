"""What one ``rag ask`` costs as a whole process, beside a bare script that only embeds, searches and scores.

    python -m tests.benchmarks.ask_process [--index DIR] [--runs N]

All run in turns in fresh processes over the same index (the sample corpus unless another is named), the files being in
the page cache. Printed are medians, their ratio, and the parts of an answer as ``--json`` reports them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
QUESTION = "How many remote days per week can I take?"

BARE = """
import sys
from pathlib import Path
import numpy as np
from ragcli.config import EmbedConfig
from ragcli.embed.loading import load_embedder
from ragcli.index import analysis
from ragcli.index.lexical import LexicalReader

version, question = Path(sys.argv[1]), sys.argv[2]
vector = load_embedder(EmbedConfig()).queries([question])[0]
for path in sorted(version.rglob("embeddings.npy")):
    rows = np.load(path, mmap_mode="r")
    print(np.argsort(-(rows @ vector))[:8].tolist())
terms = analysis.query_terms(question, ["en"])
print(LexicalReader(version / "lexical").search(terms, {"title": 1.0, "headings": 1.0}, 8))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--index", type=Path, help="an index folder [default: the sample corpus, ingested for this]")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        index = options.index or Path(temporary) / "index"
        if options.index is None:
            run([sys.executable, "-m", "ragcli", "ingest", "sample_corpus", "--quiet", "--index", str(index)])
        measure(index, options.runs)


def measure(index: Path, runs: int) -> None:
    """Run each command ``runs`` times in turns, after one of each that is not counted, and print the medians."""
    version = index / "versions" / (index / "CURRENT").read_text().strip()
    rag = [sys.executable, "-m", "ragcli", "--index", str(index), "--json", "--quiet"]
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "rag --help": [sys.executable, "-m", "ragcli", "--help"],
        "bare script": [sys.executable, "-c", BARE, str(version), QUESTION],
        "rag search --mode bm25": [*rag, "search", QUESTION, "--mode", "bm25"],
        "rag search": [*rag, "search", QUESTION],
        "rag ask": [*rag, "ask", QUESTION],
    }
    wall: dict[str, list[float]] = {name: [] for name in commands}
    parts: list[dict[str, float]] = []
    for turn in range(runs + 1):
        for name, command in commands.items():
            seconds, printed = run(command)
            if turn:
                wall[name].append(seconds)
                if name == "rag ask":
                    parts.append(json.loads(printed)["timings_ms"] | {"whole process": seconds * 1000})
    medians = {name: statistics.median(values) for name, values in wall.items()}
    for name, seconds in medians.items():
        print(f"{name:<24} {seconds:7.3f} s  (from {min(wall[name]):.3f} to {max(wall[name]):.3f})")
    print(f"{'rag ask / bare script':<24} {medians['rag ask'] / medians['bare script']:7.2f}")
    print("parts of rag ask, milliseconds:")
    for part in parts[0]:
        print(f"  {part:<22} {statistics.median(row[part] for row in parts):8.1f}")
    inside = statistics.median(row["whole process"] - row["total"] for row in parts)
    print(f"  {'start, import, opening':<22} {inside:8.1f}")


def run(command: Sequence[str]) -> tuple[float, str]:
    """Wall seconds of a process and what it printed."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("RAG_")}
    started = time.perf_counter()
    done = subprocess.run(command, cwd=REPOSITORY, env=environ, capture_output=True, text=True, check=True)
    return time.perf_counter() - started, done.stdout


if __name__ == "__main__":
    main()
