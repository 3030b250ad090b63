"""``rag ingest`` killed anywhere from reading files to publishing: the last version serves, the next run completes.

A short run is the default; ``RAGCLI_INGEST_KILLS=200`` is the long one.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragcli.index.folder import IndexFolder
from ragcli.records import Scope
from tests.cli.running import environment

KILLS = int(os.environ.get("RAGCLI_INGEST_KILLS", "3"))
FILES = 12

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")


def _write(tree: Path, state: int) -> None:
    """Every file says which state it is of; one comes and one goes each time."""
    tree.mkdir(exist_ok=True)
    for number in range(FILES):
        text = f"# Note {number}\n\nThis note number {number} is of state{state}.\n\n## More\n\nIt has a second part.\n"
        (tree / f"note{number}.md").write_text(text)
    for path in tree.glob("extra*.md"):
        path.unlink()
    (tree / f"extra{state}.md").write_text(f"# Extra\n\nOnly in state{state}.\n")


def _ingest(folder: Path) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "ragcli",
        "--index",
        str(folder / "index"),
        "ingest",
        str(folder / "tree"),
        "--quiet",
    ]
    command += ["--max-delete", "100"]
    return subprocess.Popen(command, cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True)


def _served(folder: Path) -> int:
    """The state that is served, checked to be one state, whole, in both legs."""
    index = IndexFolder(folder / "index")
    assert index.verify() == []
    with index.open() as engine:
        names = engine.doc_ids()
        extra = [name for name in names if "extra" in name]
        assert len(extra) == 1
        state = int(extra[0].rpartition("extra")[2].removesuffix(".md"))
        assert len(names) == FILES + 1
        assert all(f"state{state}." in engine.document(name).text for name in names)
        allowed = engine.allowed(Scope())
        found = {hit.chunk_id.rpartition("#")[0] for hit in engine.lexical(f"state{state}", 100, allowed).hits}
        assert found == set(names)
        assert len(engine.dense(engine.vectors([f"{extra[0]}#1"])[0], 100, allowed)[0].hits) == allowed.count
    return state


def test_killed_ingest_leaves_whole_versions(tmp_path: Path) -> None:
    draw = random.Random(5)
    _write(tmp_path / "tree", 0)
    started = time.monotonic()
    first = _ingest(tmp_path)
    assert first.wait() == 0, first.stderr and first.stderr.read()
    whole = time.monotonic() - started
    served = _served(tmp_path)
    for state in range(1, KILLS + 1):
        _write(tmp_path / "tree", state)
        process = _ingest(tmp_path)
        time.sleep(draw.uniform(0, whole))
        process.send_signal(signal.SIGKILL)
        process.wait()
        found = _served(tmp_path)
        assert found in (served, state)
        served = found
    last = _ingest(tmp_path)
    assert last.wait() == 0, last.stderr and last.stderr.read()
    assert _served(tmp_path) == KILLS
