"""Whether hnswlib runs on this machine, found out in a process of its own.

hnswlib is compiled on installation for the very processor it meets (``-march=native``). In an image or environment
that was moved to another one it can end the process with an illegal instruction, which no code can catch. So the first
use on a machine is tried aside, and the outcome is kept beside the index; without hnswlib, vectors are scanned.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import json
import platform
import subprocess
import sys
from pathlib import Path

from ragcli.errors import StoreError
from ragcli.index.durable import replace_text
from ragcli.regular_files import make_folder, parse_json, read_regular

_TRY = """
import hnswlib, numpy
rows = numpy.random.default_rng(0).normal(size=(200, 40)).astype("float32")
index = hnswlib.Index(space="ip", dim=40)
index.init_index(200, M=8, ef_construction=20)
index.add_items(rows, num_threads=1)
index.knn_query(rows[:2], k=3, num_threads=1)
"""
_SECONDS = 60
_MOST_BYTES = 10_000


def graph_marker(folder: Path) -> Path:
    """Where an index folder remembers it."""
    return folder / "cache" / "hnswlib.json"


@functools.cache
def graph_works(marker: Path) -> bool:
    """Whether graphs can be built and searched here; remembered in the file ``marker`` where it can be written."""
    key = _machine()
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, StoreError):
        known = parse_json(read_regular(marker, _MOST_BYTES))
        if known["machine"] == key:
            return bool(known["works"])
    works = _try(_TRY)
    with contextlib.suppress(OSError, StoreError):
        make_folder(marker.parent)
        replace_text(marker, json.dumps({"machine": key, "works": works}) + "\n")
    return works


@functools.cache
def _try(script: str) -> bool:
    try:
        command = [sys.executable, "-P", "-c", script]  # -P: no module of the working folder
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _machine() -> str:
    """A name for this processor together with this build of hnswlib."""
    parts = [platform.machine(), platform.processor(), _processor_flags(), sys.version]
    spec = importlib.util.find_spec("hnswlib")
    if spec is not None and spec.origin is not None:
        status = Path(spec.origin).stat()
        parts += [spec.origin, str(status.st_mtime_ns), str(status.st_size)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _processor_flags() -> str:
    """What Linux says the processor can do; empty elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")
