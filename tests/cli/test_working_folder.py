"""What lies in the working folder is data: a module in it is never imported, by any process that ``rag`` starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import environment

NAMES = ("json", "hnswlib", "tempfile", "resource", "yaml", "numpy", "onnxruntime", "lxml", "typing", "ragcli")
INSTALLED = "from ragcli.__main__ import run; raise SystemExit(run())"  # what the script ``rag`` runs


@pytest.mark.parametrize("start", [("-P", "-c", INSTALLED), ("-m", "ragcli")], ids=["rag", "python -m ragcli"])
def test_no_module_of_the_working_folder_is_imported(start: tuple[str, ...], tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "note.md").write_text("# Wifi\n\nThe password of the wifi is blue-heron.\n", encoding="utf-8")
    for name in NAMES if start[0] == "-P" else NAMES[:-1]:
        (project / f"{name}.py").write_text(f"open({str(tmp_path / f'{name}.run')!r}, 'w')\n", encoding="utf-8")
    for command in (("ingest", "note.md"), ("ask", "What is the password of the wifi?")):
        done = subprocess.run(
            [sys.executable, *start, *command],
            cwd=project,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert not sorted(path.name for path in tmp_path.glob("*.run"))
        assert done.returncode == 0, done.stderr
    assert "blue-heron" in done.stdout
