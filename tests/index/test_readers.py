"""One writer, many readers. ``RAGCLI_READERS=8 RAGCLI_PUBLISHES=20`` is the long run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.index.crash_child import main

READERS = int(os.environ.get("RAGCLI_READERS", "2"))
PUBLISHES = int(os.environ.get("RAGCLI_PUBLISHES", "4"))
ROOT = Path(__file__).resolve().parents[2]

_READ = """
import sys
from pathlib import Path
from tests.index.publishing.test_crash import _served
folder, seen, last = Path(sys.argv[1]), 0, -1
print("ready", flush=True)
while not (folder / "stop").exists():
    number = _served(folder)
    assert number >= last, (number, last)
    seen, last = seen + 1, number
print(seen, last)
"""


def test_readers_see_whole_versions_while_a_writer_publishes(tmp_path: Path) -> None:
    main(tmp_path, 0, 1)
    command = [sys.executable, "-c", _READ, str(tmp_path)]
    readers = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(READERS)
    ]
    for reader in readers:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "ready\n"
    main(tmp_path, 1, PUBLISHES)
    (tmp_path / "stop").touch()
    for reader in readers:
        output, errors = reader.communicate()
        assert reader.returncode == 0, errors
        searches, _ = map(int, output.split())
        assert searches > 0
