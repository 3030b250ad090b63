from __future__ import annotations

import signal
from pathlib import Path

import pytest

from ragcli.config import IngestConfig
from ragcli.parse.files.pool import parse_files
from ragcli.parse.files.walk import SourceFile, walk
from ragcli.parse.files.worker_process import WorkerProcess
from ragcli.parse.parsed import Parsed
from tests.parse.builders import write_tree


def run(root: Path, config: IngestConfig) -> list[Parsed]:
    return list(parse_files([item for item in walk(root, config) if isinstance(item, SourceFile)], config))


def meddled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str) -> None:
    """From now on parsing processes do ``action`` where they would open ``b.txt``."""
    site = f"""
import os, signal, sys, time
if "worker" in " ".join(sys.orig_argv):
    real = os.open
    def meddled(path, *arguments, **more):
        if str(path).endswith("b.txt"):
            {action}
        return real(path, *arguments, **more)
    os.open = meddled
"""
    monkeypatch.setenv("PYTHONPATH", str(write_tree(tmp_path / "site", {"sitecustomize.py": site})))


def test_outcomes_come_in_the_order_of_the_files(tmp_path: Path) -> None:
    write_tree(tmp_path, {f"{number:02}.txt": f"text number {number}" for number in range(40)})
    seen: list[tuple[str, int, int]] = []
    files = [item for item in walk(tmp_path, IngestConfig()) if isinstance(item, SourceFile)]
    outcomes = list(parse_files(files, IngestConfig(workers=2), lambda *args: seen.append(args)))
    assert [parsed.documents[0].text for parsed in outcomes] == [f"text number {number}" for number in range(40)]
    assert seen[-1] == ("parse", 40, 40)
    assert all(len(parsed.sha256) == 64 for parsed in outcomes)


def test_a_file_that_hangs_is_stopped_and_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragcli.parse.files.worker_process._WALL_FACTOR", 2)
    write_tree(tmp_path, {"a.txt": "fine", "b.txt": "never read", "c.txt": "also fine"})
    meddled(tmp_path, monkeypatch, "time.sleep(10_000)")
    files = [SourceFile(tmp_path / name, name, 1, 1) for name in ("a.txt", "b.txt", "c.txt")]
    outcomes = list(parse_files(files, IngestConfig(workers=1, timeout_seconds=4)))
    assert [len(parsed.documents) for parsed in outcomes] == [1, 0, 1]
    assert "took longer than ingest.timeout_seconds = 4 and still waits" in str(outcomes[1].reports[0].skipped)
    assert outcomes[1].reports[0].conditions == ("ingest.timeout_seconds=4",)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system does not count processor time")
def test_a_file_that_works_too_long_is_stopped_and_the_rest_goes_on(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "* word\n" * 2_000_000, "b.txt": "fine"})
    outcomes = run(tmp_path, IngestConfig(workers=1, timeout_seconds=1))
    assert [len(parsed.documents) for parsed in outcomes] == [0, 1]
    assert outcomes[0].reports[0].skipped == "took longer than ingest.timeout_seconds = 1, stopped"
    assert outcomes[0].reports[0].conditions == ("ingest.timeout_seconds=1",)


def test_waiting_is_not_counted_as_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late = write_tree(tmp_path, {"b.txt": "late"}) / "b.txt"
    meddled(tmp_path, monkeypatch, "time.sleep(4)")
    outcomes = list(parse_files([SourceFile(late, "b.txt", 1, 1)], IngestConfig(workers=1, timeout_seconds=1)))
    assert outcomes[0].documents[0].text == "late"


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="the system has no limit on data memory")
def test_a_file_that_eats_memory_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.txt": "word " * 12_000_000, "b.txt": "fine"})
    outcomes = run(tmp_path, IngestConfig(workers=1, memory_mb=120, max_file_mb=500))
    assert [len(parsed.documents) for parsed in outcomes] == [0, 1]
    assert "memory" in str(outcomes[0].reports[0].skipped)
    assert outcomes[0].reports[0].conditions == ("ingest.memory_mb=120",)


def test_stopping_early_does_not_wait_for_a_file_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tree(tmp_path, {"a.txt": "fine", "b.txt": "never read"})
    meddled(tmp_path, monkeypatch, "time.sleep(10_000)")
    files = [SourceFile(tmp_path / name, name, 1, 1) for name in ("a.txt", "b.txt")]
    outcomes = parse_files(files, IngestConfig(workers=1, timeout_seconds=100_000))
    assert next(outcomes).documents[0].text == "fine"
    outcomes.close()  # hangs here when the process is not ended


def test_an_ended_worker_takes_no_further_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tree(tmp_path, {"b.txt": "never read"})
    meddled(tmp_path, monkeypatch, "time.sleep(10_000)")
    worker = WorkerProcess(IngestConfig(timeout_seconds=100_000))
    worker.kill()
    parsed = worker.parse(SourceFile(tmp_path / "b.txt", "b.txt", 1, 1))  # hangs here when a process is started
    assert parsed.reports[0].skipped == "stopped"
    worker.close()


def test_a_library_that_crashes_costs_its_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tree(tmp_path, {"a.txt": "fine", "b.txt": "[" * 100, "c.txt": "fine too"})
    meddled(tmp_path, monkeypatch, "os.kill(os.getpid(), signal.SIGSEGV)")
    names = ("a.txt", "b.txt", "c.txt")
    files = [SourceFile(tmp_path / name, name, 1, 1) for name in names]
    outcomes = list(parse_files(files, IngestConfig(workers=1)))
    assert [len(parsed.documents) for parsed in outcomes] == [1, 0, 1]
    assert "signal 11" in str(outcomes[1].reports[0].skipped)
