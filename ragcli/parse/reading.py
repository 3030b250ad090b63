"""The way from a source to its documents: what it is, who reads it, what is inside it."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from ragcli.config import IngestConfig
from ragcli.errors import AccessError, ParseError
from ragcli.parse.conditions import Conditions, library, passwords_of, program, setting
from ragcli.parse.detect import detect
from ragcli.parse.documents import report_of, to_document, why_empty
from ragcli.parse.own_files import own_file
from ragcli.parse.properties import property_statements
from ragcli.parse.registry import family_of, missing, others, parser_of
from ragcli.parse.source import Budget, Context, Extract, Parser, Source
from ragcli.records import Coverage, Document, FileReport

LIBRARY_ERRORS: tuple[type[Exception], ...] = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    BufferError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)
_OCR = (library("rapidocr"), program("tesseract"))
_OUTCOMES_A_TICK = 200


def context_for(config: IngestConfig, tick: Callable[[], None] = lambda: None) -> Context:
    """A fresh context: limits are counted for one top-level file."""
    conditions: set[str] = set()
    budget = Budget(config.archive_entries, config.archive_unpacked_mb * 1_000_000, conditions)
    return Context(config, passwords_of(config), budget, tick, conditions)


def read(source: Source, context: Context) -> Iterator[Document | FileReport]:
    """Every document of a source, containers opened, and a report for it and for everything inside it.

    The report of a source comes after everything else of it and says under which conditions all of this holds.
    Nothing is raised for what a file holds.
    """
    for item in _read(source, context):
        if isinstance(item, FileReport) and item.path == source.doc_id:
            yield replace(item, conditions=Conditions(context.config).state(context.conditions))
        else:
            yield item


def _read(source: Source, context: Context) -> Iterator[Document | FileReport]:
    digest = hashlib.sha256(source.data).hexdigest()
    found = _SourceResult()
    try:
        source, parser = _detected(source, context)
        if (kind := own_file(source.name, source.data)) is not None:
            yield FileReport(source.doc_id, skipped=f"{kind}, no document", passed_over=True)
            return
        stated = tuple(property_statements(source.data, source.media_type))
        for number, outcome in enumerate(parser(source, context), 1):
            if number % _OUTCOMES_A_TICK == 0:
                context.tick()
            if isinstance(outcome, Extract):
                outcome = replace(outcome, stated=(*outcome.stated, *stated))
                yield from _take(outcome, source, digest, found)
            elif isinstance(outcome, FileReport) and outcome.path == source.doc_id:
                found.own = outcome
            elif isinstance(outcome, FileReport):
                found.children = True
                yield outcome
            else:
                found.children = True
                found.converted |= outcome.doc_id == source.doc_id
                yield from _child(replace(outcome, acl=found.acl or source.acl), source, digest, context)
    except ParseError as error:
        found.fail(error, source)
    except ModuleNotFoundError as error:
        found.fail(missing(error, source.media_type), source)
    except LIBRARY_ERRORS as error:  # a damaged file met a library that does not foresee it: this file alone is lost
        found.failure = _damage(error, source.media_type)
    if any(cover.image_only_pages or cover.ocr_pages for cover in found.covers):
        context.conditions.update(_OCR)
    yield from found.documents
    if not found.converted:
        yield found.own or found.report(source)


@dataclass(slots=True)
class _SourceResult:
    """What came out of one source so far.

    ``converted`` says that it was only turned into another format; ``own`` is the report its parser gave itself.
    ``acl`` are the groups that it is for, and so all that is attached to it.
    """

    documents: list[Document] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    empty: Coverage | None = None
    children: bool = False
    converted: bool = False
    failure: str | None = None
    acl: tuple[str, ...] = ()
    withheld: bool = False
    own: FileReport | None = None

    def add(self, document: Document | None, warnings: list[str], coverage: Coverage) -> None:
        """Keep a document, or the coverage of one without text."""
        self.warnings += warnings
        if document is None:
            self.empty = coverage
        else:
            self.documents.append(document)

    def fail(self, error: ParseError, source: Source) -> None:
        """Remember why nothing more came."""
        self.failure = _reason(error, source)
        self.withheld = isinstance(error, AccessError)

    @property
    def covers(self) -> list[Coverage]:
        """The coverage of what was read."""
        return [document.coverage for document in self.documents] or ([self.empty] if self.empty else [])

    def report(self, source: Source) -> FileReport:
        """The file's report; a file that gave documents before it failed is not skipped but warned about."""
        skipped = None
        if not self.documents:
            skipped = self.failure or (None if self.children else why_empty(self.empty))
        elif self.failure:
            self.warnings.append(self.failure)
        report = report_of(source, self.documents, self.covers, self.warnings, skipped)
        return replace(report, withheld=self.withheld)


def _detected(source: Source, context: Context) -> tuple[Source, Parser]:
    """What the source is, and who reads it."""
    if not source.data.strip():
        raise ParseError("the file is empty" if not source.data else "the file holds only white space")
    other = others(context.config.parsers).get(source.extension) if not source.media_type else None
    if other is not None:
        name, reader = other
        return replace(source, media_type=reader.media_type, reader=f"{name}/{reader.version}"), reader.parse
    kind = source.media_type or detect(source.name, source.extension, source.data)
    family = family_of(kind)
    context.conditions.update(map(library, family.libraries))
    return replace(source, media_type=kind, reader=f"{family.module}/{family.version}"), parser_of(family)


def _take(extract: Extract, source: Source, digest: str, found: _SourceResult) -> Iterator[FileReport]:
    """Keep the document of an extract; one row that must not be read does not cost the others.

    What a message or a page says of who may see it holds for what is attached to it.
    """
    try:
        document, warnings, acl = to_document(extract, source, digest)
        found.add(document, warnings, extract.coverage)
        if extract.row is None:
            found.acl = acl
    except AccessError as error:
        if extract.row is None:
            raise
        found.children = True
        yield FileReport(f"{source.doc_id}!{extract.row}", skipped=_reason(error, source), withheld=True)


_DEFECTS = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError)


def _damage(error: Exception, media_type: str) -> str:
    """What to say of an error that a library let through: its words where they are about the file, never its name."""
    words = "" if isinstance(error, _DEFECTS) else " ".join(str(error).split())[:200]
    told = f": {words}" if words else ""
    return f"damaged, or in a form that the reader of {media_type} does not know{told}"


def _reason(error: ParseError, source: Source) -> str:
    reason = error.message.removeprefix(f"{source.doc_id}: ")
    return f"{reason} ({error.hint})" if error.hint else reason


def _child(child: Source, parent: Source, digest: str, context: Context) -> Iterator[Document | FileReport]:
    if parent.depth >= context.config.archive_depth:
        context.conditions.add(setting("archive_depth"))
        yield FileReport(child.doc_id, skipped=f"deeper than ingest.archive_depth = {context.config.archive_depth}")
    elif hashlib.sha256(child.data).hexdigest() in (*parent.ancestors, digest):
        yield FileReport(child.doc_id, skipped="an archive that holds itself")
    else:
        yield from _read(replace(child, depth=parent.depth + 1, ancestors=(*parent.ancestors, digest)), context)
