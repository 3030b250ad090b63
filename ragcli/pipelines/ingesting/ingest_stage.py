"""Stages what a scan found: new and changed files read, gone ones removed, copies merged, old ones dropped."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ragcli.config import Config
from ragcli.interfaces import Progress, StoreWriter
from ragcli.parse.files.walk import SourceFile
from ragcli.parse.parsed import Parsed
from ragcli.pipelines.ingesting.copy_access import CopyAccess
from ragcli.pipelines.ingesting.ingest_copies import list_copies, look_of, settle
from ragcli.pipelines.ingesting.ingest_files import Describer, FileReader, document_of, source_file
from ragcli.pipelines.ingesting.ingest_places import Place, inner_roots
from ragcli.pipelines.ingesting.ingest_scan import Scan
from ragcli.records import Document, FileReport, FileState, Given, Look

_BATCH_SECONDS = 2.0
_BATCH_FILES = 500


class Stager:
    """Brings the staged documents in line with scans, and remembers what happened.

    ``given`` holds the flags of each root, by its id. ``changes`` says whether there was anything to do, ``before`` are
    the staged documents as they were then, ``reports`` those of files that could not be read again, ``notices`` what
    the user should know.
    """

    def __init__(
        self,
        config: Config,
        writer: StoreWriter,
        given: dict[int, list[Given]],
        today: datetime.date,
        progress: Progress | None = None,
    ) -> None:
        self._config, self._staging, self._given = config, writer.staging, given
        self._reader = FileReader(config, writer, progress)
        self._describer = Describer(config, given, today)
        self._families: set[str] = set()
        self._taken: set[str] = set()
        self._fresh: dict[str, tuple[str, ...]] = {}
        self._naming: set[str] = set()
        self._access = CopyAccess(self._staging, self._read_again)
        self.changes = False
        self.before: Mapping[str, str] = {}
        self.reports: list[FileReport] = []
        self.notices: list[str] = []

    @property
    def settled(self) -> bool:
        """Whether documents came or went, so that copies were sought again."""
        return bool(self._families)

    def key(self, root_id: int, file: SourceFile) -> str:
        """Names all that decides what a file gives: the parsers, their settings, the rules and flags that hold."""
        return f"{self._reader.key}-{self._describer.key(root_id, file)}"

    def holds(self, reports: Sequence[FileReport]) -> bool:
        """Whether the limits, passwords and libraries that decided a file's outcome are what they were."""
        return self._reader.holds(reports)

    def change(self, scans: Sequence[Scan], force: bool) -> None:
        """Stage what the scans found; every step is kept as soon as it is done, so that a killed run continues."""
        self.changes = any(scan.todo or scan.gone for scan in scans) or bool(self._staging.notes.unread())
        self.before = self._staging.document_keys() if self.changes else {}
        for scan in scans:
            for root, _ in list(inner_roots(self._staging, scan.place, self._config.ingest)):
                self._staging.remove_root(root.root_id)
        for scan in scans:
            self._remove(scan.gone)
            with self._staging.transaction():
                for state in scan.touched:
                    self._staging.put_file(state)
            for batch in _batches(self._reader.read(scan.todo, force=force)):
                with self._staging.transaction():
                    for parsed in batch:
                        self._stage(scan, parsed)
        self._read_left_copies()
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
        looks = self._staging.notes.take_file(root_id, relative)
        self._families |= {look.family for look in looks}
        self._naming |= {look.kept for look in looks if look.kept is not None}
        self._taken |= {look.exact for look in looks}

    def _stage(self, scan: Scan, parsed: Parsed) -> None:
        root, file = scan.place.root, parsed.file
        before = scan.states.get(file.relative)
        documents, reports = self._describer.apply(parsed, root.root_id)
        if before is not None and before.doc_ids and file.size and _failed(documents, reports):
            self._keep(before, reports[-1])
            return
        self._forget_looks(root.root_id, file.relative)
        ids = [self._put(document, scan.place, file.relative) for document in documents]
        for doc_id in sorted(set(before.doc_ids if before else ()).difference(ids)):
            self._staging.remove_document(doc_id)
        at = (file.size, file.mtime_ns, parsed.sha256)
        key = self.key(root.root_id, file)
        self._staging.put_file(
            FileState(root.root_id, file.relative, *at, key, reports, tuple(ids), file.aliases, file.real)
        )

    def _put(self, document: Document, place: Place, relative: str) -> str:
        root = place.root
        while not self._is_free(document.doc_id, (root.root_id, relative)):
            doc_id, source = f"{root.label}/{document.doc_id}", f"{root.label}/{document.source}"
            document = replace(document, doc_id=doc_id, source=source)
        self._stage_look(document, root.root_id, relative)
        return document.doc_id

    def _is_free(self, doc_id: str, file: tuple[int, str]) -> bool:
        """Whether no other file has a document of that id, be it a copy that another one stands for."""
        look = self._staging.notes.look(doc_id)
        owners = (self._staging.owner(doc_id), None if look is None else (look.root_id, look.relative))
        return all(owner in (None, file) for owner in owners)

    def _read_left_copies(self) -> None:
        """Stage again what was left out as a copy of a document that is gone, in whatever root it is."""
        for look in self._staging.notes.unread():
            document = self._read_again(look)
            if document is not None:
                with self._staging.transaction():
                    self._stage_look(document, look.root_id, look.relative)
                    self._rewrite(look.root_id, look.relative)
            elif self._staging.file(look.root_id, look.relative) is None:
                self._staging.notes.forget(look.doc_id)
            elif self._staging.owner(look.doc_id) is None:
                reason = "what it was a copy of is gone, and its file cannot be read now"
                self.notices.append(f"{look.doc_id} is not in the index: {reason}")

    def _stage_look(self, document: Document, root_id: int, relative: str) -> None:
        document = replace(document, also_in=self._staging.notes.copies(document.doc_id))
        self._staging.put_document(document, root_id=root_id, relative=relative)
        look = look_of(document, root_id, relative)
        self._staging.notes.put_look(look)
        self._families.add(look.family)
        self._fresh[document.doc_id] = document.metadata.acl
        if document.also_in:
            self._naming.add(document.doc_id)

    def _keep(self, before: FileState, own: FileReport) -> None:
        """A file that can no longer be read keeps what was read of it before, and says so."""
        warning = f"now unreadable ({own.skipped}); {len(before.doc_ids)} documents read from it before are kept"
        self.reports.append(replace(own, warnings=(*own.warnings, warning)))

    def _drop_old(self) -> None:
        if self._describer.cutoff is None:
            return
        for look in self._staging.notes.older_than(self._describer.cutoff):
            with self._staging.transaction():
                self._staging.remove_document(look.doc_id)
                self._staging.notes.forget(look.doc_id)
                self._rewrite(look.root_id, look.relative)
            days = self._config.ingest.retention_days
            self.notices.append(f"{look.doc_id}: older than ingest.retention_days = {days}, removed")

    def _settle(self) -> None:
        if self.settled:
            with self._staging.transaction():
                self._access.settle(self._taken, self._fresh)
        self._families |= self._access.families
        self.notices += self._access.notices
        touched = settle(self._staging, self._families, self._config.ingest.near_duplicates, self._revive)
        list_copies(self._staging, self._access.stale | self._naming)
        for root_id, relative in sorted(touched):
            self._rewrite(root_id, relative)

    def _revive(self, look: Look) -> Document | None:
        """A copy's own document with the access that other copies of it leave, None when it cannot be read now."""
        document = self._read_again(look)
        return None if document is None else self._access.narrowed(look, document)

    def _read_again(self, look: Look) -> Document | None:
        """The document of a look as its file gives it, from the cache or, failing that, from the file."""
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


def _failed(documents: Sequence[Document], reports: Sequence[FileReport]) -> bool:
    """Whether a file could not be read; one that may not be read is another thing: nothing of it may stay."""
    own = reports[-1] if reports else None
    return not documents and own is not None and own.skipped is not None and not (own.withheld or own.passed_over)


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
