"""Re-ingest of an unchanged tree of small files, by the real command in a process of its own.

    python -m tests.benchmarks.reingest FOLDER [FILES]

Makes a tree of small distinct text files in FOLDER and ingests it once (both only when they are not there yet), then
ingests it again five times: wall and processor seconds of the whole process, and whether a version was published. The
floor is walking the same tree and asking the size and time of every file, in this process.
"""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

GOAL_SECONDS = 2.0
FOLDERS = 100
RUNS = 5


def make_tree(root: Path, files: int) -> None:
    """``files`` files of a dozen words, a hundredth of them in each folder."""
    for number in range(files):
        generator = random.Random(number)
        folder = root / f"folder{number % FOLDERS:02}"
        folder.mkdir(parents=True, exist_ok=True)
        words = ["".join(generator.choices("abcdefghijklmnoprstu", k=6)) for _ in range(12)]
        (folder / f"note{number:05}.txt").write_text(f"Note {number}: {' '.join(words)}.\n", encoding="utf-8")


def ingest(tree: Path, index: Path) -> tuple[float, float, dict[str, object]]:
    """Wall seconds, processor seconds and the result of one ``rag ingest``."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "ragcli", "ingest", str(tree), "--index", str(index), "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, busy, json.loads(done.stdout)


def floor(tree: Path) -> float:
    """Seconds of a bare walk."""
    started = time.perf_counter()
    for folder, _, names in os.walk(tree):
        for name in names:
            os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118 - the cheapest way there is
    return time.perf_counter() - started


def main(arguments: list[str]) -> None:
    folder, files = Path(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 10_000
    tree, index = folder / "tree", folder / "index"
    if not tree.exists():
        make_tree(tree, files)
    seconds, _, first = ingest(tree, index)
    print(f"first ingest of this run: {seconds:.1f} s, {first['added']} added, version {first['index_version']}")
    runs = [ingest(tree, index) for _ in range(RUNS)]
    walls, used = [run[0] for run in runs], [run[1] for run in runs]
    published = [run[2]["index_version"] for run in runs if run[2]["index_version"]]
    print(
        f"unchanged {runs[-1][2]['unchanged']} documents: wall median {statistics.median(walls):.2f} s, "
        f"worst {max(walls):.2f} s, processor median {statistics.median(used):.2f} s (goal {GOAL_SECONDS} s)"
    )
    print(f"versions published by them: {published or 'none'}")
    print(f"bare walk of the tree: {floor(tree):.3f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
