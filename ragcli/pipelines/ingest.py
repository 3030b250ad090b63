"""Folders and files to staged documents: walk, parse what changed, describe, drop what is gone."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import Config
from ragcli.errors import SourceError, StrictFailure
from ragcli.interfaces import Progress
from ragcli.parse.metadata import describe
from ragcli.parse.pool import Parsed, parse_files
from ragcli.parse.registry import parse_key
from ragcli.parse.walk import SourceFile, walk
from ragcli.records import Document, FileReport

if TYPE_CHECKING:
    from ragcli.index.staging import FileState, Root, Staging
    from ragcli.index.writer import Writer

_BATCH_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What an ingest did; counts are of documents.

    ``files`` has a report for every file met, sorted by path; ``planned_files`` and ``planned_bytes`` are what a dry
    run would parse.
    """

    files: tuple[FileReport, ...]
    added: int
    changed: int
    removed: int
    unchanged: int
    seconds: float
    notices: tuple[str, ...] = ()
    dry_run: bool = False
    planned_files: int = 0
    planned_bytes: int = 0

    @property
    def lost(self) -> tuple[FileReport, ...]:
        """Files that were not read, or not whole."""
        return tuple(report for report in self.files if report.lost)


@dataclass(frozen=True, slots=True)
class _Scan:
    """One root as it is on disk beside what is staged of it."""

    root: Root
    files: tuple[SourceFile, ...]
    reports: tuple[FileReport, ...]
    states: Mapping[str, FileState]
    todo: tuple[SourceFile, ...]
    touched: tuple[FileState, ...]
    gone: tuple[FileState, ...]

    @property
    def kept(self) -> tuple[FileState, ...]:
        """States of the files that need no look."""
        waiting = {file.relative for file in self.todo}
        return tuple(
            self.states[file.relative]
            for file in self.files
            if file.relative in self.states and file.relative not in waiting
        )


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
) -> IngestResult:
    """Bring the staged documents in line with the files under ``paths``.

    A file is parsed when its content, the parsers or their settings changed (``force``: always). Documents of files
    that are gone are removed, as long as a root loses no more than ``max_delete`` per cent of its documents. A file
    that is there but cannot be read keeps the documents it had. ``dry_run`` changes nothing.

    Raises SourceError for a missing path and for a loss over the limit, StrictFailure with ``strict`` when a file
    or page was lost.
    """
    started = time.monotonic()
    run = _Run(config, writer, dict(meta or {}), tuple(acl), progress)
    scans = [run.scan(path, force=force, dry_run=dry_run) for path in paths]
    limit = config.ingest.max_delete if max_delete is None else max_delete
    for scan in scans:
        _guard(scan, limit)
    if not dry_run:
        for scan in scans:
            run.remove(scan.gone)
            run.update(scan, force=force)
    result = run.result(scans, time.monotonic() - started, dry_run)
    if strict and result.lost:
        names = ", ".join(report.path for report in result.lost[:5])
        raise StrictFailure(f"--strict: {len(result.lost)} files were not read whole: {names}")
    return result


def _guard(scan: _Scan, limit: float) -> None:
    total = sum(len(state.doc_ids) for state in scan.states.values())
    losing = sum(len(state.doc_ids) for state in scan.gone)
    if total and losing / total * 100 > limit:
        raise SourceError(
            f"{scan.root.path}: {losing} of {total} documents are gone from disk, more than --max-delete {limit:g} %",
            hint=f"check that the folder is whole; --max-delete {min(100, int(losing / total * 100) + 1)} removes them",
            category="max_delete",
        )


class _Run:
    """One ingest: its settings, and the counts so far."""

    def __init__(
        self, config: Config, writer: Writer, meta: dict[str, str], acl: tuple[str, ...], progress: Progress | None
    ) -> None:
        self._config, self._writer, self._progress = config, writer, progress
        self._meta, self._acl = meta, acl
        self._parse_key = parse_key(config.ingest)
        described = [[rule.path, dict(rule.set)] for rule in config.ingest.rules], meta, acl
        text = json.dumps(described, sort_keys=True, default=str)
        self._state_key = f"{self._parse_key}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        self._added = self._changed = self._removed = self._unchanged = 0
        self._reports: list[FileReport] = []
        self._notices: list[str] = []

    @property
    def _staging(self) -> Staging:
        return self._writer.staging

    # ------------------------------------------------------------ looking

    def scan(self, path: Path, *, force: bool, dry_run: bool) -> _Scan:
        """What is under a path and what of it changed."""
        from ragcli.index.staging import Root

        path = path.absolute()
        known = next((root for root in self._staging.roots() if root.path == path), None)
        met = list(walk(path, self._config.ingest))
        files = tuple(item for item in met if isinstance(item, SourceFile))
        reports = tuple(item for item in met if isinstance(item, FileReport))
        root = known or (Root(0, path, path.name) if dry_run else self._staging.add_root(path))
        states = {state.relative: state for state in self._staging.files(root.root_id)} if known else {}
        todo, touched = self._changed_files(files, states, force)
        present = {file.relative for file in files}
        unread = tuple(report.path for report in reports)
        gone = tuple(s for s in states.values() if s.relative not in present and not _under(s.relative, unread))
        return _Scan(root, files, reports, states, todo, touched, gone)

    def _changed_files(
        self, files: Sequence[SourceFile], states: Mapping[str, FileState], force: bool
    ) -> tuple[tuple[SourceFile, ...], tuple[FileState, ...]]:
        """Files to look into, and the new states of those whose time alone changed."""
        todo: list[SourceFile] = []
        touched: list[FileState] = []
        for file in files:
            state = states.get(file.relative)
            if force or state is None or (state.size, state.parse_key) != (file.size, self._state_key):
                todo.append(file)
            elif state.mtime_ns != file.mtime_ns:
                if state.sha256 and _digest(file.path) == state.sha256:
                    touched.append(replace(state, mtime_ns=file.mtime_ns))
                else:
                    todo.append(file)
        return tuple(todo), tuple(touched)

    # ------------------------------------------------------------ changing

    def remove(self, states: Sequence[FileState]) -> None:
        """Drop files that are gone, with their documents."""
        if not states:
            return
        with self._staging.transaction():
            for state in states:
                for doc_id in state.doc_ids:
                    self._staging.remove_document(doc_id)
                self._staging.remove_file(state.root_id, state.relative)
                self._removed += len(state.doc_ids)

    def update(self, scan: _Scan, *, force: bool) -> None:
        """Parse what changed under a root and stage it, a transaction every few seconds."""
        self._unchanged += sum(len(state.doc_ids) for state in scan.kept)
        if scan.touched:
            with self._staging.transaction():
                for state in scan.touched:
                    self._staging.put_file(state)
        outcomes = self._outcomes(scan, force=force)
        for batch in _batches(outcomes):
            with self._staging.transaction():
                for parsed in batch:
                    self._stage(scan, parsed)

    def _outcomes(self, scan: _Scan, *, force: bool) -> Iterator[Parsed]:
        """Each changed file's outcome: from the cache where its content was parsed before, else parsed."""
        missing: list[SourceFile] = []
        for file in scan.todo:
            found = None if force else self._cached(file)
            if found is None:
                missing.append(file)
            else:
                yield found
        for parsed in parse_files(missing, self._config.ingest, self._progress) if missing else ():
            if parsed.sha256:
                self._writer.caches.documents.put(self._cache_key(parsed), parsed.documents, parsed.reports)
            yield parsed

    def _cached(self, file: SourceFile) -> Parsed | None:
        digest = _digest(file.path)
        if digest is None:
            return None
        parsed = Parsed(file, digest, (), ())
        found = self._writer.caches.documents.get(self._cache_key(parsed))
        if found is None:
            return None
        return _moved(replace(parsed, documents=found[0], reports=found[1]))

    def _cache_key(self, parsed: Parsed) -> str:
        return f"{parsed.sha256}-{self._parse_key}-{parsed.file.relative.rsplit('/', 1)[-1]}"

    def _stage(self, scan: _Scan, parsed: Parsed) -> None:
        from ragcli.index.staging import FileState

        file, root = parsed.file, scan.root
        before = scan.states.get(file.relative)
        own = next((report for report in parsed.reports if report.path == file.relative), None)
        failed = own is not None and own.skipped is not None and not parsed.documents
        if before is not None and before.doc_ids and failed and file.size:
            self._keep(before, parsed)
            return
        documents, reports = self._described(parsed)
        old = set(before.doc_ids) if before is not None else set()
        keys = self._staging.document_keys_of(old) if hasattr(self._staging, "document_keys_of") else {}
        ids = []
        for document in documents:
            document = self._placed(document, root, file)
            key = self._staging.put_document(document, root_id=root.root_id, relative=file.relative)
            ids.append(document.doc_id)
            if document.doc_id not in old:
                self._added += 1
            elif keys.get(document.doc_id) == key:
                self._unchanged += 1
            else:
                self._changed += 1
        for doc_id in sorted(old.difference(ids)):
            self._staging.remove_document(doc_id)
            self._removed += 1
        self._reports += reports
        self._staging.put_file(
            FileState(
                root.root_id,
                file.relative,
                file.size,
                file.mtime_ns,
                parsed.sha256,
                self._state_key,
                reports,
                tuple(ids),
            )
        )

    def _keep(self, before: FileState, parsed: Parsed) -> None:
        """A file that can no longer be read keeps what was read of it before, and says so."""
        reason = parsed.reports[-1].skipped
        warning = f"now unreadable ({reason}); the {len(before.doc_ids)} documents read from it before are kept"
        self._reports.append(replace(parsed.reports[-1], warnings=(*parsed.reports[-1].warnings, warning)))
        self._unchanged += len(before.doc_ids)

    def _described(self, parsed: Parsed) -> tuple[list[Document], tuple[FileReport, ...]]:
        documents: list[Document] = []
        warnings: list[str] = []
        modified = time.strftime("%Y-%m-%d", time.gmtime(parsed.file.mtime_ns / 1e9))
        for document in parsed.documents:
            if document.metadata.modified is None:
                document = replace(document, metadata=replace(document.metadata, modified=modified))
            described, problems = describe(document, self._config.ingest.rules, self._meta, self._acl)
            documents.append(described)
            warnings += problems
        reports = parsed.reports
        if warnings and reports:
            unique = tuple(dict.fromkeys(warnings))
            reports = (*reports[:-1], replace(reports[-1], warnings=(*reports[-1].warnings, *unique)))
        return documents, reports

    def _placed(self, document: Document, root: Root, file: SourceFile) -> Document:
        """The document under an id no other file has: the root's label goes in front when another root has it."""
        owner = self._staging.owner(document.doc_id)
        if owner is None or owner == (root.root_id, file.relative):
            return document
        return replace(document, doc_id=f"{root.label}/{document.doc_id}", source=f"{root.label}/{document.source}")

    # ------------------------------------------------------------ telling

    def result(self, scans: Sequence[_Scan], seconds: float, dry_run: bool) -> IngestResult:
        """Everything that was met and done."""
        reports = list(self._reports)
        for scan in scans:
            reports += scan.reports
            for state in scan.kept:
                reports += state.reports
            if dry_run:
                reports += [FileReport(file.relative) for file in scan.todo]
        removed = sum(len(state.doc_ids) for scan in scans for state in scan.gone) if dry_run else self._removed
        todo = [file for scan in scans for file in scan.todo]
        return IngestResult(
            files=tuple(sorted(reports, key=lambda report: report.path)),
            added=self._added,
            changed=self._changed,
            removed=removed,
            unchanged=self._unchanged or sum(len(state.doc_ids) for scan in scans for state in scan.kept),
            seconds=seconds,
            notices=tuple(self._notices),
            dry_run=dry_run,
            planned_files=len(todo),
            planned_bytes=sum(file.size for file in todo),
        )


def _batches(outcomes: Iterator[Parsed]) -> Iterator[list[Parsed]]:
    """Outcomes in lists of at most a few seconds: one transaction each."""
    batch: list[Parsed] = []
    started = time.monotonic()
    for parsed in outcomes:
        batch.append(parsed)
        if time.monotonic() - started > _BATCH_SECONDS or len(batch) >= 500:
            yield batch
            batch, started = [], time.monotonic()
    if batch:
        yield batch


def _under(relative: str, folders: Sequence[str]) -> bool:
    return any(name in (relative, ".") or relative.startswith(f"{name}/") for name in folders)


def _digest(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _moved(parsed: Parsed) -> Parsed:
    """Cached documents under the path the file has now."""
    if not parsed.reports or parsed.reports[-1].path == parsed.file.relative:
        return parsed
    old, new = parsed.reports[-1].path, parsed.file.relative
    documents = tuple(
        replace(item, doc_id=new + item.doc_id.removeprefix(old), source=new + item.source.removeprefix(old))
        for item in parsed.documents
    )
    return replace(
        parsed,
        documents=documents,
        reports=tuple(replace(item, path=new + item.path.removeprefix(old)) for item in parsed.reports),
    )
