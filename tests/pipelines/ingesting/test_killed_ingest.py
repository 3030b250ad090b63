"""``rag ingest`` killed anywhere from reading files to publishing: the last version serves, the next run completes.

A short run is the default; ``RAGCLI_INGEST_KILLS=200`` is a longer one, ``python -m tests.attack kills`` the long one.
"""

from __future__ import annotations

import os
import signal

import pytest

from tests.attack import kills

KILLS = int(os.environ.get("RAGCLI_INGEST_KILLS", "4"))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_killed_ingest_leaves_whole_versions() -> None:
    assert kills.run(KILLS, seed=5).failures == []
