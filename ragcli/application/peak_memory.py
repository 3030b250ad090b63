"""The most memory that this process has held, for the report of an ingest."""

from __future__ import annotations

import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak_bytes() -> int | None:
    """The largest resident size of this process since it began, in bytes; None where the system does not tell.

    Linux is asked by its status file: the figure of ``getrusage`` there begins at what the process that started this
    one held.
    """
    if sys.platform == "linux":
        return status_peak(_STATUS.read_text(encoding="utf-8")) if _STATUS.exists() else None
    if sys.platform == "darwin":
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return None


def status_peak(status: str) -> int | None:
    """The line ``VmHWM`` of a Linux status file in bytes; None when it is not there."""
    values = (line.split() for line in status.splitlines() if line.startswith("VmHWM:"))
    return next((int(kibibytes) * 1024 for _, kibibytes, _ in values), None)
