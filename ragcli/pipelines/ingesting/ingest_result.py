"""What an ingest met and did: a report for every file, and how many documents came, changed and went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragcli.interfaces import Staging
from ragcli.parse.files.walk import Ignored, SourceFile
from ragcli.pipelines.ingesting.ingest_scan import Scan
from ragcli.pipelines.ingesting.ingest_stage import Stager
from ragcli.records import FileReport, FileState

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class PassedOver:
    """What one line of an ignore file left out: how many files and folders, and the first few of them."""

    rule: str
    files: int
    folders: int
    first: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What an ingest did; counts are of documents.

    ``files`` has a report for every file met, sorted by path; ``planned`` are the files that a dry run would parse,
    ``ignored`` counts what ignore files passed over, by their lines.
    """

    files: tuple[FileReport, ...]
    added: int
    changed: int
    removed: int
    unchanged: int
    seconds: float
    notices: tuple[str, ...] = ()
    dry_run: bool = False
    planned: tuple[SourceFile, ...] = ()
    ignored: tuple[PassedOver, ...] = ()

    @property
    def lost(self) -> tuple[FileReport, ...]:
        """Files that were not read, or not whole."""
        return tuple(report for report in self.files if report.lost)


def result_of(
    scans: Sequence[Scan], stager: Stager, staging: Staging, notices: Sequence[str], seconds: float, dry_run: bool
) -> IngestResult:
    """Everything that was met and done."""
    reports = list(stager.reports)
    shown = {report.path for report in reports}
    for scan in scans:
        reports += [_unread(report, scan) for report in scan.reports]
        reports += [FileReport(file.relative) for file in scan.todo] if dry_run else []
        waiting = {file.relative for file in scan.todo} if dry_run else shown
        states = [state for state in _states(scan, stager, staging) if state.relative not in waiting]
        reports += [report for state in states for report in state.reports]
    added, changed, removed, unchanged = _counts(scans, stager, staging, dry_run)
    return IngestResult(
        files=tuple(sorted(reports, key=lambda report: report.path)),
        added=added,
        changed=changed,
        removed=removed,
        unchanged=unchanged,
        seconds=seconds,
        notices=tuple(dict.fromkeys(notices)),
        dry_run=dry_run,
        planned=tuple(file for scan in scans for file in scan.todo) if dry_run else (),
        ignored=_by_line([item for scan in scans for item in scan.ignored]),
    )


def _by_line(ignored: Sequence[Ignored]) -> tuple[PassedOver, ...]:
    lines: dict[str, list[Ignored]] = {}
    for item in ignored:
        lines.setdefault(item.rule, []).append(item)
    return tuple(
        PassedOver(
            rule,
            files=sum(not item.is_folder for item in items),
            folders=sum(item.is_folder for item in items),
            first=tuple(item.path for item in items[:_SHOWN]),
        )
        for rule, items in sorted(lines.items())
    )


def _states(scan: Scan, stager: Stager, staging: Staging) -> list[FileState]:
    """The files a scan met, as they are staged now."""
    if not scan.todo and not scan.gone and not scan.touched and not stager.settled:
        return list(scan.unchanged)
    met = {file.relative for file in scan.files}
    return [state for state in staging.files(scan.place.root.root_id) if state.relative in met]


def _counts(scans: Sequence[Scan], stager: Stager, staging: Staging, dry_run: bool) -> tuple[int, int, int, int]:
    """Documents added, changed, removed and unchanged: by the difference before and after, among what was met."""
    kept = sum(len(state.doc_ids) for scan in scans for state in (*scan.unchanged, *scan.unreadable))
    if dry_run or not stager.changes:
        return 0, 0, sum(len(state.doc_ids) for scan in scans for state in scan.gone), kept
    after = staging.document_keys()
    changed = sum(1 for doc_id, key in after.items() if doc_id in stager.before and stager.before[doc_id] != key)
    added = len(after.keys() - stager.before.keys())
    met = sum(len(state.doc_ids) for scan in scans for state in _states(scan, stager, staging))
    unread = sum(len(state.doc_ids) for scan in scans for state in scan.unreadable)
    return added, changed, len(stager.before.keys() - after.keys()), max(0, met + unread - added - changed)


def _unread(report: FileReport, scan: Scan) -> FileReport:
    """The report of a file that is there but was not read, with what is kept of it."""
    held = sum(len(state.doc_ids) for state in scan.unreadable if _covers(report.path, state.relative))
    if not held:
        return report
    return replace(report, warnings=(*report.warnings, f"{held} documents read from it before are kept"))


def _covers(path: str, relative: str) -> bool:
    return path in (relative, ".") or relative.startswith(f"{path}/")
