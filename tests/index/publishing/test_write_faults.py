"""A few disks that fail; ``python -m tests.attack write_faults --tries 300`` fails each change of an ingest in turn."""

from __future__ import annotations

import shutil
import sys

import pytest

from tests.attack import write_faults


@pytest.mark.skipif(shutil.which("cc") is None or not sys.platform.startswith("linux"), reason="needs Linux and cc")
def test_a_disk_that_fails_anywhere_costs_nothing_that_was_published() -> None:
    outcome = write_faults.run(12, seed=3)
    assert outcome.tries >= 11  # the last on a full disk, where one can be mounted
    assert outcome.failures == []
