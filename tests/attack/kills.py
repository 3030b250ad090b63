"""``rag ingest`` killed at random moments: the last version or the new one serves, whole, and the next run completes.

A kill comes at any time between the start and about the end of a run that nobody disturbs. Whatever a killed run left
behind, the next one starts from it; every few kills one is let through, and must succeed.
"""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from pathlib import Path

from tests.attack import Outcome
from tests.cli.running import start
from tests.pipelines.states import INGEST, served_state, write_state

LET_THROUGH = 10
"""Of so many runs one is not killed."""


def run(tries: int, seed: int) -> Outcome:
    """Kill ``tries`` runs."""
    draw, failures = random.Random(seed), []
    with tempfile.TemporaryDirectory(prefix="ragcli-kills-") as place:
        folder = Path(place)
        served, seconds = 0, _completed(folder, 0)
        for state in range(1, tries + 1):
            write_state(folder / "tree", state)
            child = start(*INGEST, cwd=folder)
            time.sleep(draw.uniform(0, seconds))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            try:
                found = served_state(folder)
                assert found in (served, state), f"state {found} is served, neither {served} nor {state}"
                served = found
                if state % LET_THROUGH == 0 or state == tries:
                    served, seconds = tries + state, _completed(folder, tries + state)
            except Exception as error:
                failures.append(f"kill {state}: {type(error).__name__}: {error}")
    return Outcome("kills", tries, failures)


def _completed(folder: Path, state: int) -> float:
    """Seconds that an ingest of this state takes; an AssertionError when it does not succeed."""
    write_state(folder / "tree", state)
    started = time.monotonic()
    _, status = os.waitpid(start(*INGEST, cwd=folder), 0)
    assert status == 0, (
        f"the run that was let through ended with {os.waitstatus_to_exitcode(status)}: "
        + ((folder / "err.txt").read_text()[-500:])
    )
    found = served_state(folder)
    assert found == state, f"state {found} is served after a whole run of {state}"
    return time.monotonic() - started
