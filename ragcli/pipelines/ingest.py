"""Folders and files to staged documents: walk, parse what changed, describe, merge copies, drop what is gone."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragcli.config import Config
from ragcli.errors import StrictFailure
from ragcli.index.ingest_notes import Given, Look
from ragcli.index.staging import FileState
from ragcli.index.writer import Writer
from ragcli.interfaces import Progress
from ragcli.parse.pool import Parsed
from ragcli.parse.walk import SourceFile
from ragcli.pipelines.ingest_copies import look_of, settle
from ragcli.pipelines.ingest_files import Describer, FileReader, document_of, source_file
from ragcli.pipelines.ingest_scan import Place, Scan, find_place, guard, inner_roots, scan_place
from ragcli.records import Document, FileReport

_BATCH_SECONDS = 2.0
_BATCH_FILES = 500


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What an ingest did; counts are of documents.

    ``files`` has a report for every file met, sorted by path; ``planned`` are the files that a dry run would parse.
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

    @property
    def lost(self) -> tuple[FileReport, ...]:
        """Files that were not read, or not whole."""
        return tuple(report for report in self.files if report.lost)


def ingest(
    paths: Sequence[Path],
    *,
    config: Config,
    writer: Writer,
    meta: Mapping[str, str] | None = None,
    acl: Sequence[str] = (),
    force: bool = False,
    max_delete: float | None = None,
    dry_run: bool = False,
    strict: bool = False,
    progress: Progress | None = None,
    today: datetime.date | None = None,
) -> IngestResult:
    """Bring the staged documents in line with the files under ``paths``.

    A file is parsed when its content, the parsers or their settings changed (``force``: always). Documents of files
    that are gone are removed, as long as a root loses no more than ``max_delete`` per cent of its documents. A file
    that is there but cannot be read keeps the documents it had. ``meta`` and ``acl`` hold for a path until others are
    given for it (``acl=[""]`` takes them away). ``dry_run`` changes nothing.

    Raises SourceError for a missing path and for a loss over the limit, StrictFailure with ``strict`` when a file
    or page was lost.
    """
    started = time.monotonic()
    run = _Run(config, writer, progress, today or datetime.date.today())
    places = run.places(paths, dict(meta or {}), tuple(acl), dry_run)
    scans = [run.scan(place, force) for place in places]
    limit = config.ingest.max_delete if max_delete is None else max_delete
    for scan in scans:
        guard(scan, limit)
    if not dry_run:
        run.change(scans, paths, force)
    result = run.result(scans, time.monotonic() - started, dry_run)
    if strict and result.lost:
        names = ", ".join(report.path for report in result.lost[:5])
        raise StrictFailure(f"--strict: {len(result.lost)} files were not read whole: {names}")
    return result


class _Run:
    """One ingest: its collaborators, and what happened so far."""

    def __init__(self, config: Config, writer: Writer, progress: Progress | None, today: datetime.date) -> None:
        self._config, self._staging, self._today = config, writer.staging, today
        self._reader = FileReader(config, writer, progress)
        self._given: dict[int, list[Given]] = {}
        self._describer = Describer(config, self._given, today)
        self._before: Mapping[str, str] = {}
        self._families: set[str] = set()
        self._reports: list[FileReport] = []
        self._notices: list[str] = []

    # ------------------------------------------------------------ looking

    def places(self, paths: Sequence[Path], meta: dict[str, str], acl: tuple[str, ...], dry_run: bool) -> list[Place]:
        """Where each path lies, with the flags that hold there."""
        places = [find_place(self._staging, path, dry_run) for path in paths]
        for place in places:
            root_id = place.root.root_id
            known = self._given.setdefault(root_id, self._staging.notes.given(root_id))
            if meta or acl:
                given = Given(place.under, meta, tuple(group for group in acl if group.strip()))
                known[:] = sorted([*(g for g in known if g.prefix != place.under), given], key=lambda g: len(g.prefix))
                if not dry_run:
                    self._staging.notes.put_given(root_id, given)
            elif any(given.acl or given.meta for given in known):
                self._notices.append(_kept_flags(place, known))
        return places

    def scan(self, place: Place, force: bool) -> Scan:
        """What is under a place and what of it changed."""
        key = self._reader.key
        root_id = place.root.root_id
        return scan_place(
            place,
            self._staging,
            self._config.ingest,
            lambda relative: f"{key}-{self._describer.key(root_id, relative)}",
            force,
        )

    # ------------------------------------------------------------ changing

    def change(self, scans: Sequence[Scan], paths: Sequence[Path], force: bool) -> None:
        """Stage what the scans found; every step is kept as soon as it is done, so that a killed run continues."""
        self._before = self._staging.document_keys() if any(scan.todo or scan.gone for scan in scans) else {}
        for path in paths:
            for root in inner_roots(self._staging, path):
                self._staging.remove_root(root.root_id)
                self._notices.append(f"{root.path} is read as part of {path.absolute()} from now on")
        for scan in scans:
            self._remove(scan.gone)
            with self._staging.transaction():
                for state in scan.touched:
                    self._staging.put_file(state)
            for batch in _batches(self._reader.read(scan.todo, force=force)):
                with self._staging.transaction():
                    for parsed in batch:
                        self._stage(scan, parsed)
        self._drop_old()
        self._settle()

    def _remove(self, states: Sequence[FileState]) -> None:
        with self._staging.transaction():
            for state in states:
                self._forget_looks(state.root_id, state.relative)
                for doc_id in state.doc_ids:
                    self._staging.remove_document(doc_id)
                self._staging.remove_file(state.root_id, state.relative)

    def _forget_looks(self, root_id: int, relative: str) -> None:
        self._families |= {look.family for look in self._staging.notes.take_file(root_id, relative)}

    def _stage(self, scan: Scan, parsed: Parsed) -> None:
        root, file = scan.place.root, parsed.file
        before = scan.states.get(file.relative)
        if before is not None and before.doc_ids and file.size and _failed(parsed):
            self._keep(before, parsed)
            return
        documents, reports = self._describer.apply(parsed, root.root_id)
        self._forget_looks(root.root_id, file.relative)
        ids = [self._put(document, scan.place, file.relative) for document in documents]
        for doc_id in sorted(set(before.doc_ids if before else ()).difference(ids)):
            self._staging.remove_document(doc_id)
        key = f"{self._reader.key}-{self._describer.key(root.root_id, file.relative)}"
        at = (file.size, file.mtime_ns, parsed.sha256)
        self._staging.put_file(FileState(root.root_id, file.relative, *at, key, reports, tuple(ids)))

    def _put(self, document: Document, place: Place, relative: str) -> str:
        root = place.root
        owner = self._staging.owner(document.doc_id)
        if owner is not None and owner != (root.root_id, relative):
            doc_id, source = f"{root.label}/{document.doc_id}", f"{root.label}/{document.source}"
            document = replace(document, doc_id=doc_id, source=source)
        document = replace(document, also_in=self._staging.notes.copies(document.doc_id))
        self._staging.put_document(document, root_id=root.root_id, relative=relative)
        look = look_of(document, root.root_id, relative)
        self._staging.notes.put_look(look)
        self._families.add(look.family)
        return document.doc_id

    def _keep(self, before: FileState, parsed: Parsed) -> None:
        """A file that can no longer be read keeps what was read of it before, and says so."""
        own = parsed.reports[-1]
        warning = f"now unreadable ({own.skipped}); {len(before.doc_ids)} documents read from it before are kept"
        self._reports.append(replace(own, warnings=(*own.warnings, warning)))

    def _drop_old(self) -> None:
        if self._describer.cutoff is None:
            return
        for look in self._staging.notes.older_than(self._describer.cutoff):
            with self._staging.transaction():
                self._staging.remove_document(look.doc_id)
                self._staging.notes.forget(look.doc_id)
                self._rewrite(look.root_id, look.relative)
            days = self._config.ingest.retention_days
            self._notices.append(f"{look.doc_id}: older than ingest.retention_days = {days}, removed")

    def _settle(self) -> None:
        touched = settle(self._staging, self._families, self._config.ingest.near_duplicates, self._revive)
        for root_id, relative in sorted(touched):
            self._rewrite(root_id, relative)

    def _revive(self, look: Look) -> Document | None:
        """A copy's own document, read again from the cache or, failing that, from its file."""
        state = self._staging.file(look.root_id, look.relative)
        root = next((root for root in self._staging.roots() if root.root_id == look.root_id), None)
        if state is None or root is None:
            return None
        self._given.setdefault(root.root_id, self._staging.notes.given(root.root_id))
        file = source_file(root, state)
        parsed = self._reader.cached(file, state.sha256) or next(self._reader.read([file], force=False), None)
        return document_of(parsed, self._describer, look, root.label)

    def _rewrite(self, root_id: int, relative: str) -> None:
        """Bring a file's state in line with which of its documents are staged and which are copies."""
        state = self._staging.file(root_id, relative)
        if state is None:
            return
        looks = self._staging.notes.of_file(root_id, relative)
        ids = tuple(look.doc_id for look in looks if look.kept is None)
        copies_of = tuple(sorted({look.kept for look in looks if look.kept is not None}))
        reports = state.reports
        if reports:
            reports = (*reports[:-1], replace(reports[-1], documents=len(ids), duplicates_of=copies_of))
        self._staging.put_file(replace(state, doc_ids=ids, reports=reports))

    # ------------------------------------------------------------ telling

    def result(self, scans: Sequence[Scan], seconds: float, dry_run: bool) -> IngestResult:
        """Everything that was met and done."""
        reports = list(self._reports)
        shown = {report.path for report in reports}
        for scan in scans:
            reports += [_unread(report, scan) for report in scan.reports]
            reports += [FileReport(file.relative) for file in scan.todo] if dry_run else []
            waiting = {file.relative for file in scan.todo} if dry_run else shown
            states = [state for state in self._states(scan) if state.relative not in waiting]
            reports += [report for state in states for report in state.reports]
        added, changed, removed, unchanged = self._counts(scans, dry_run)
        return IngestResult(
            files=tuple(sorted(reports, key=lambda report: report.path)),
            added=added,
            changed=changed,
            removed=removed,
            unchanged=unchanged,
            seconds=seconds,
            notices=tuple(dict.fromkeys(self._notices)),
            dry_run=dry_run,
            planned=tuple(file for scan in scans for file in scan.todo) if dry_run else (),
        )

    def _states(self, scan: Scan) -> list[FileState]:
        """The files a scan met, as they are staged now."""
        if not scan.todo and not scan.gone and not scan.touched and not self._families:
            return list(scan.unchanged)
        met = {file.relative for file in scan.files}
        return [state for state in self._staging.files(scan.place.root.root_id) if state.relative in met]

    def _counts(self, scans: Sequence[Scan], dry_run: bool) -> tuple[int, int, int, int]:
        """Documents added, changed, removed and unchanged: by the difference before and after, among what was met."""
        kept = sum(len(state.doc_ids) for scan in scans for state in (*scan.unchanged, *scan.unreadable))
        if dry_run or (not self._before and not any(scan.todo or scan.gone for scan in scans)):
            return 0, 0, sum(len(state.doc_ids) for scan in scans for state in scan.gone), kept
        after = self._staging.document_keys()
        changed = sum(1 for doc_id, key in after.items() if doc_id in self._before and self._before[doc_id] != key)
        added = len(after.keys() - self._before.keys())
        met = sum(len(state.doc_ids) for scan in scans for state in self._states(scan))
        unread = sum(len(state.doc_ids) for scan in scans for state in scan.unreadable)
        return added, changed, len(self._before.keys() - after.keys()), max(0, met + unread - added - changed)


def _failed(parsed: Parsed) -> bool:
    return not parsed.documents and bool(parsed.reports) and parsed.reports[-1].skipped is not None


def _unread(report: FileReport, scan: Scan) -> FileReport:
    """The report of a file that is there but was not read, with what is kept of it."""
    held = sum(len(state.doc_ids) for state in scan.unreadable if _covers(report.path, state.relative))
    if not held:
        return report
    return replace(report, warnings=(*report.warnings, f"{held} documents read from it before are kept"))


def _covers(path: str, relative: str) -> bool:
    return path in (relative, ".") or relative.startswith(f"{path}/")


def _kept_flags(place: Place, known: Sequence[Given]) -> str:
    flags = [f"--acl {group}" for given in known for group in given.acl]
    flags += [f"--meta {key}={value}" for given in known for key, value in given.meta.items()]
    return f"{place.root.path}: {' '.join(dict.fromkeys(flags))} still hold from an earlier ingest (--acl '' ends them)"


def _batches(outcomes: Iterator[Parsed]) -> Iterator[list[Parsed]]:
    """Outcomes in lists of at most a few seconds: one transaction each."""
    batch: list[Parsed] = []
    started = time.monotonic()
    for parsed in outcomes:
        batch.append(parsed)
        if time.monotonic() - started > _BATCH_SECONDS or len(batch) >= _BATCH_FILES:
            yield batch
            batch, started = [], time.monotonic()
    if batch:
        yield batch
