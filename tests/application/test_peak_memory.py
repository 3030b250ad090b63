"""The peak of memory in the report of an ingest is bytes, of this process."""

import subprocess
import sys

import pytest

from ragcli.application.peak_memory import status_peak

HOLDING = """
import sys
from ragcli.application.peak_memory import peak_bytes
before = peak_bytes()
held = bytearray(b"x") * 200_000_000
del held
print(before, peak_bytes())
"""


def test_the_status_file_counts_kibibytes() -> None:
    assert status_peak("Name:\trag\nVmPeak:\t  9999 kB\nVmHWM:\t   500 kB\nVmRSS:\t   400 kB\n") == 512_000
    assert status_peak("Name:\trag\n") is None


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="the system does not tell")
def test_what_was_held_and_given_back_is_in_the_peak() -> None:
    ballast = bytearray(b"x") * 150_000_000  # what the starting process holds is not in the figure of the started one
    ran = subprocess.run([sys.executable, "-c", HOLDING], capture_output=True, text=True, check=True)
    before, after = map(int, ran.stdout.split())
    assert before < len(ballast)
    assert 200_000_000 < after < 350_000_000
