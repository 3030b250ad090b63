"""Files to staged documents: parsed or from the cache, described, placed under an id of their own."""

from __future__ import annotations

import datetime
import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ragcli.config import Config
from ragcli.errors import AccessError
from ragcli.interfaces import Progress, StoreWriter
from ragcli.parse.conditions import Conditions
from ragcli.parse.files.pool import parse_files
from ragcli.parse.files.walk import SourceFile, on_disk
from ragcli.parse.metadata import describe
from ragcli.parse.parsed import Parsed
from ragcli.parse.registry import parse_key
from ragcli.pipelines.cache_keys import document_key
from ragcli.pipelines.ingesting.copy_access import access_left
from ragcli.pipelines.ingesting.ingest_access import narrowed
from ragcli.pipelines.ingesting.ingest_scan import digest
from ragcli.records import Document, FileReport, FileState, Given, Look, Root


class FileReader:
    """Gives the documents of files, parsing only content that the cache does not hold."""

    def __init__(self, config: Config, writer: StoreWriter, progress: Progress | None) -> None:
        self._config, self._writer, self._progress = config.ingest, writer, progress
        self._parse_key = parse_key(config.ingest)
        self._conditions = Conditions(config.ingest)

    @property
    def key(self) -> str:
        """Names the parsers and settings in use."""
        return self._parse_key

    def holds(self, reports: Sequence[FileReport]) -> bool:
        """Whether what an outcome hung on besides the file is as it was."""
        return self._conditions.hold(reports[-1].conditions) if reports else True

    def read(self, files: Sequence[SourceFile], *, force: bool) -> Iterator[Parsed]:
        """Each file's outcome: first those whose content was parsed before, then those parsed now."""
        missing: list[SourceFile] = []
        for file in files:
            found = None if force else self.cached(file, digest(file.path))
            if found is None:
                missing.append(file)
            else:
                yield found
        for parsed in parse_files(missing, self._config, self._progress) if missing else ():
            if parsed.sha256:
                self._writer.caches.documents.put(self._cache_key(parsed), parsed.documents, parsed.reports)
            yield parsed

    def cached(self, file: SourceFile, sha256: str | None) -> Parsed | None:
        """What a file's content gave when it was last parsed, under the path the file has now."""
        if not sha256:
            return None
        parsed = Parsed(file, sha256, (), ())
        found = self._writer.caches.documents.get(self._cache_key(parsed))
        if found is None or not self.holds(found[1]):
            return None
        return _moved(replace(parsed, documents=found[0], reports=found[1]))

    def _cache_key(self, parsed: Parsed) -> str:
        return document_key(parsed.sha256, self._parse_key, parsed.file.relative)


def _moved(parsed: Parsed) -> Parsed:
    if not parsed.reports or parsed.reports[-1].path == parsed.file.relative:
        return parsed
    old, new = parsed.reports[-1].path, parsed.file.relative
    documents = tuple(
        replace(item, doc_id=new + item.doc_id.removeprefix(old), source=new + item.source.removeprefix(old))
        for item in parsed.documents
    )
    reports = tuple(replace(item, path=new + item.path.removeprefix(old)) for item in parsed.reports)
    return replace(parsed, documents=documents, reports=reports)


class Describer:
    """Puts path rules and given flags over what documents declare, and drops those past their time."""

    def __init__(self, config: Config, given: Mapping[int, Sequence[Given]], today: datetime.date) -> None:
        self._config, self._given = config.ingest, given
        days = config.ingest.retention_days
        self.cutoff = (today - datetime.timedelta(days=days)).isoformat() if days else None
        self._keys: dict[tuple[object, ...], str] = {}
        self._rules = json.dumps([[rule.path, dict(rule.set)] for rule in config.ingest.rules], default=str)

    def key(self, root_id: int, file: SourceFile) -> str:
        """Hash of everything that decides what is written over a file's own metadata."""
        given = [self._flags(root_id, path) for path in (file.relative, file.real, *file.aliases)]
        flags = tuple((tuple(sorted(meta.items())), acl) for meta, acl in given)
        if flags not in self._keys:
            (meta, acl), aliases = given[0], [acl for _, acl in given[1:]]
            parts = json.dumps([self._rules, meta, acl, self._config.retention_days, *aliases], sort_keys=True)
            self._keys[flags] = hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return self._keys[flags]

    def _flags(self, root_id: int, relative: str) -> tuple[dict[str, str], tuple[str, ...]]:
        meta: dict[str, str] = {}
        acl: tuple[str, ...] = ()
        for given in self._given.get(root_id, ()):
            if given.holds_for(relative):
                meta |= given.meta
                acl = given.acl or acl
        return meta, acl

    def apply(self, parsed: Parsed, root_id: int) -> tuple[list[Document], tuple[FileReport, ...]]:
        """The described documents that are kept, and the reports with what there was to warn about."""
        meta, acl = self._flags(root_id, parsed.file.relative)
        modified = time.strftime("%Y-%m-%d", time.gmtime(parsed.file.mtime_ns / 1e9))
        documents: list[Document] = []
        warnings: list[str] = []
        withheld: list[FileReport] = []
        for document in parsed.documents:
            if document.metadata.modified is None:
                document = replace(document, metadata=replace(document.metadata, modified=modified))
            try:
                described, problems = describe(document, self._config.rules, meta, acl, parsed.file.relative)
                described = self._narrowed(described, document, parsed.file, root_id)
            except AccessError as error:
                withheld.append(FileReport(document.doc_id, skipped=f"{error.message} ({error.hint})", withheld=True))
                continue
            warnings += problems
            if self.cutoff is not None and (described.metadata.modified or self.cutoff) < self.cutoff:
                days = self._config.retention_days
                warnings.append(f"{described.doc_id}: older than ingest.retention_days = {days}, left out")
            else:
                documents.append(described)
        return documents, _with(withheld, _warned(parsed, documents, warnings))

    def _narrowed(self, described: Document, document: Document, file: SourceFile, root_id: int) -> Document:
        """The document for those who may see it by every path to its file.

        Raises AccessError for one read under a link by nobody who may see what the link leads to. A link elsewhere that
        leaves nobody takes it from no one: it was there for them before.
        """

        def groups(path: str) -> tuple[str, ...]:
            return describe(document, self._config.rules, *self._flags(root_id, path), path)[0].metadata.acl

        if file.real:
            described = narrowed(described, groups(file.real), f"a link to {file.real}")
        left = access_left(described.metadata.acl, [groups(path) for path in file.aliases])
        return replace(described, metadata=replace(described.metadata, acl=left))


def _warned(parsed: Parsed, documents: Sequence[Document], warnings: Sequence[str]) -> tuple[FileReport, ...]:
    if not parsed.reports:
        return ()
    *others, own = parsed.reports
    dropped = len(parsed.documents) - len(documents)
    unique = tuple(dict.fromkeys((*own.warnings, *warnings)))
    return (*others, replace(own, warnings=unique, documents=max(0, own.documents - dropped)))


def _with(withheld: Sequence[FileReport], reports: tuple[FileReport, ...]) -> tuple[FileReport, ...]:
    """The reports with those of documents that may not be read; the file's own comes last."""
    if not withheld or not reports:
        return reports
    *others, own = reports
    if withheld[0].path == own.path:
        return (*others, replace(own, skipped=withheld[0].skipped, withheld=True))
    return (*others, *withheld, own)


def source_file(root: Root, state: FileState) -> SourceFile:
    """A staged file as the walk gave it; where it is now, if it is there."""
    path = on_disk(root.path, state.relative) or root.path / state.relative
    return SourceFile(path, state.relative, state.size, state.mtime_ns, state.aliases, state.real)


def document_of(parsed: Parsed | None, describer: Describer, look: Look, label: str) -> Document | None:
    """The one document of a file that a look belongs to."""
    if parsed is None:
        return None
    documents, _ = describer.apply(parsed, look.root_id)
    for document in documents:
        prefix = look.doc_id.removesuffix(document.doc_id)
        if prefix != look.doc_id and not prefix.replace(f"{label}/", ""):
            return replace(document, doc_id=look.doc_id, source=prefix + document.source)
    return None
