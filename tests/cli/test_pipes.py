"""Files that are named on the command line and are none: pipes, which nothing would ever be read from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import environment, here


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("eval", "PIPE"), 2),
        (("golden", "lint", "PIPE"), 2),
        (("eval", "golden.jsonl", "--baseline", "PIPE"), 2),
        (("eval", "golden.jsonl", "--matrix", "PIPE"), 2),
        (("eval", "golden.jsonl", "--save", "PIPE"), 2),
        (("eval", "golden.jsonl", "--report", "pipe.html"), 2),
        (("ingest", "docs", "--report", "PIPE"), 2),
        (("init", "--force", "--config", "PIPE"), 2),
        (("tune", "PIPE"), 2),
        (("inspect", "PIPE"), 4),
    ],
)
def test_a_pipe_or_device_given_as_a_file_is_never_waited_for(
    arguments: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nThe cat sleeps.\n", encoding="utf-8")
    (tmp_path / "golden.jsonl").write_text('{"question": "Who sleeps?", "expected_source": "a.md"}\n', encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "pipe.html")
    assert here("ingest", "docs", cwd=tmp_path).code == 0
    command = [sys.executable, "-m", "ragcli", *(part.replace("PIPE", "pipe") for part in arguments)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == code, done.stderr
    assert "pipe" in done.stderr and "Errno" not in done.stderr
