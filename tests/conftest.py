"""Settings shared by all tests: a deterministic hypothesis profile and the place of the shared test data."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci")

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ["XDG_CONFIG_HOME"] = os.devnull  # the settings of the person who runs the tests are not read


def _shared_data() -> Path:
    named = os.environ.get("RAGCLI_SHARED_DATA")
    return Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public golden sets and hard files; the test is skipped where it is absent."""
    folder = _shared_data()
    if not folder.is_dir():
        pytest.skip(f"shared test data not found at {folder}; set RAGCLI_SHARED_DATA")
    return folder


REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index folder of the sample corpus, made by ``rag ingest``. To be read only: every test shares it."""
    folder = tmp_path_factory.mktemp("sample") / "index"
    command = [sys.executable, "-m", "ragcli", "ingest", "sample_corpus", "--index", str(folder), "--quiet"]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("RAG_")}
    done = subprocess.run(command, cwd=REPOSITORY, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder
