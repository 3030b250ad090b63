"""Which module reads which format, and the way from a source to its documents."""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from ragcli.config import IngestConfig
from ragcli.errors import ParseError
from ragcli.parse.assemble import sections_of
from ragcli.parse.detect import BINARY, CODE, LEGACY, MARKUP, SHEETS, SLIDES, UNREADABLE, WORD, detect
from ragcli.parse.language import detect_language
from ragcli.parse.metadata import declare
from ragcli.parse.source import Budget, Context, Extract, Parser, Source
from ragcli.records import Coverage, Document, FileReport, Metadata


@dataclass(frozen=True, slots=True)
class Family:
    """A parser module and what it reads; raise ``version`` when its output changes.

    ``requires`` are the libraries whose absence means that ``extra`` is not installed.
    """

    module: str
    version: int
    media_types: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    extra: str = ""


XLS = LEGACY[".xls"]
ODT, ODP = "application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.presentation"
SHEETS_TOO = ("application/vnd.oasis.opendocument.spreadsheet", "application/vnd.ms-excel.sheet.binary.macroEnabled.12")
ARCHIVES = (
    "application/zip",
    "application/x-tar",
    "application/gzip",
    "application/x-bzip2",
    "application/x-xz",
    "application/x-7z-compressed",
    "application/vnd.rar",
)
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/tiff", "image/bmp", "image/webp")
FAMILIES = (
    Family("markdown", 2, ("text/markdown",), ("markdown-it-py",)),
    Family("text", 2, ("text/plain", *MARKUP.values(), *CODE.values(), "text/vtt", "application/x-subrip")),
    Family("html", 1, ("text/html", "application/xhtml+xml"), ("trafilatura", "lxml")),
    Family("pdf", 4, ("application/pdf",), ("pymupdf", "rapidocr")),
    Family("image", 1, IMAGES, ("rapidocr",), "ocr"),
    Family("word", 1, (WORD,), ("python-docx",)),
    Family("slides", 1, (SLIDES,), ("python-pptx",), "office"),
    Family("sheets", 1, (SHEETS, XLS, *SHEETS_TOO), ("python-calamine",), "office"),
    Family("opendocument", 1, (ODT, ODP)),
    Family("rtf", 1, ("application/rtf",), ("striprtf",), "office"),
    Family("epub", 1, ("application/epub+zip",)),
    Family("xml", 1, ("application/xml",)),
    Family("notebook", 1, ("application/x-ipynb+json",)),
    Family("mail", 1, ("message/rfc822", "application/mbox")),
    Family("mail", 1, ("application/vnd.ms-outlook",), ("python-oxmsg",), "office"),
    Family("archive", 1, ARCHIVES),
    Family("legacy", 1, (LEGACY[".doc"], LEGACY[".ppt"])),
    Family("protected", 1, (UNREADABLE,), ("msoffcrypto-tool",), "office"),
    Family("rows", 2, ("text/csv", "text/tab-separated-values", "application/jsonl", "application/json")),
)
_BY_TYPE = {kind: family for family in FAMILIES for kind in family.media_types}
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
_OUTPUT_SETTINGS = (
    "archive_depth",
    "archive_entries",
    "archive_unpacked_mb",
    "ocr",
    "ocr_languages",
    "passwords",
    "strip_boilerplate",
)
_COMMON_VERSION = 1
_GARBAGE = re.compile(r"[\ufffd\ue000-\uf8ff\U000f0000-\U0010fffd]|\(cid:\d+\)")


def parse_key(config: IngestConfig) -> str:
    """Hash of everything besides a file's bytes and name that decides what is read from it."""
    parts: dict[str, object] = {name: getattr(config, name) for name in _OUTPUT_SETTINGS}
    parts["families"] = [(family.module, family.version, _installed(family.libraries)) for family in FAMILIES]
    parts["common"] = _COMMON_VERSION
    parts["programs"] = [shutil.which(name) is not None for name in ("tesseract", "soffice")]
    parts["environment"] = os.environ.get("RAG_PDF_PASSWORDS", "")
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


@functools.cache
def _installed(libraries: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_version(name) for name in libraries)


def _version(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return ""


def context_for(config: IngestConfig, tick: Callable[[], None] = lambda: None) -> Context:
    """A fresh context: limits are counted for one top-level file."""
    passwords = [*config.passwords, *os.environ.get("RAG_PDF_PASSWORDS", "").split("\n")]
    passwords += os.environ.get("RAG_PDF_PASSWORDS", "").split(",")
    budget = Budget(config.archive_entries, config.archive_unpacked_mb * 1_000_000)
    return Context(config, tuple(dict.fromkeys(word for word in passwords if word)), budget, tick)


def read(source: Source, context: Context) -> Iterator[Document | FileReport]:
    """Every document of a source, containers opened, and a report for it and for everything inside it.

    The report of a source comes after everything else of it. Nothing is raised for what a file holds.
    """
    digest = hashlib.sha256(source.data).hexdigest()
    found = _Found()
    try:
        source = _detected(source)
        for outcome in _parser(source)(source, context):
            if isinstance(outcome, Extract):
                found.add(*to_document(outcome, source, digest), outcome.coverage)
            elif isinstance(outcome, FileReport) and outcome.path == source.doc_id:
                found.own = outcome
            elif isinstance(outcome, FileReport):
                found.children = True
                yield outcome
            else:
                found.children = True
                found.converted |= outcome.doc_id == source.doc_id
                yield from _child(outcome, source, digest, context)
    except ParseError as error:
        found.failure = _reason(error, source)
    except ModuleNotFoundError as error:
        missing = _missing(error, source.media_type)
        found.failure = _reason(missing, source)
    except LIBRARY_ERRORS as error:  # a damaged file met a library that does not foresee it: this file alone is lost
        found.failure = f"the {source.media_type} parser failed: {type(error).__name__}: {str(error)[:200]}"
    yield from found.documents
    if not found.converted:
        yield found.own or found.report(source)


@dataclass(slots=True)
class _Found:
    """What came out of one source so far.

    ``converted`` says that it was only turned into another format; ``own`` is the report its parser gave itself.
    """

    documents: list[Document] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    empty: Coverage | None = None
    children: bool = False
    converted: bool = False
    failure: str | None = None
    own: FileReport | None = None

    def add(self, document: Document | None, warnings: list[str], coverage: Coverage) -> None:
        """Keep a document, or the coverage of one without text."""
        self.warnings += warnings
        if document is None:
            self.empty = coverage
        else:
            self.documents.append(document)

    def report(self, source: Source) -> FileReport:
        """The file's report; a file that gave documents before it failed is not skipped but warned about."""
        skipped = None
        if not self.documents:
            skipped = self.failure or (None if self.children else _why_empty(self.empty))
        elif self.failure:
            self.warnings.append(self.failure)
        covers = [document.coverage for document in self.documents] or ([self.empty] if self.empty else [])
        return _report(source, self.documents, covers, self.warnings, skipped)


def _detected(source: Source) -> Source:
    if not source.data.strip():
        raise ParseError("the file is empty" if not source.data else "the file holds only white space")
    return replace(source, media_type=source.media_type or detect(source.name, source.extension, source.data))


def _reason(error: ParseError, source: Source) -> str:
    reason = error.message.removeprefix(f"{source.doc_id}: ")
    return f"{reason} ({error.hint})" if error.hint else reason


def _parser(source: Source) -> Parser:
    family = _BY_TYPE.get(source.media_type)
    if family is None:
        what = "binary data of no known format" if source.media_type == BINARY else f"no parser for {source.media_type}"
        raise ParseError(what)
    try:
        parser: Parser = importlib.import_module(f"ragcli.parse.{family.module}").parse
    except ModuleNotFoundError as error:
        raise _missing(error, source.media_type) from error
    return parser


def _missing(error: ModuleNotFoundError, media_type: str) -> ParseError:
    family = _BY_TYPE[media_type]
    hint = f"pip install 'ragcli[{family.extra}]'" if family.extra else "reinstall ragcli"
    return ParseError(f"needs {error.name}, which is not installed", hint=hint)


def _child(child: Source, parent: Source, digest: str, context: Context) -> Iterator[Document | FileReport]:
    if parent.depth >= context.config.archive_depth:
        yield FileReport(child.doc_id, skipped=f"deeper than ingest.archive_depth = {context.config.archive_depth}")
    elif hashlib.sha256(child.data).hexdigest() in (*parent.ancestors, digest):
        yield FileReport(child.doc_id, skipped="an archive that holds itself")
    else:
        yield from read(replace(child, depth=parent.depth + 1, ancestors=(*parent.ancestors, digest)), context)


def to_document(extract: Extract, source: Source, digest: str) -> tuple[Document | None, list[str]]:
    """The document an extract makes (None when it holds no text), and warnings."""
    doc_id = source.doc_id if extract.row is None else f"{source.doc_id}!{extract.row}"
    metadata = Metadata(language=detect_language(extract.text), modified=source.modified)
    metadata, problems = declare(metadata, extract.declared, doc_id, extract.line_of_key)
    warnings = [*extract.coverage.warnings, *problems]
    if not extract.text.strip():
        return None, warnings
    title = str(extract.declared.get("title") or "").strip() or extract.title or readable_name(source.name)
    return (
        Document(
            doc_id=doc_id,
            source=source.doc_id,
            title=" ".join(title.split()),
            text=extract.text,
            blocks=extract.blocks,
            sections=sections_of(extract.text, extract.blocks, extract.heading_titles),
            metadata=metadata,
            media_type=source.media_type,
            sha256=digest,
            parser=f"{_BY_TYPE[source.media_type].module}/{_BY_TYPE[source.media_type].version}",
            coverage=_coverage(extract),
            encoding=extract.encoding,
            first_line=extract.first_line,
            ocr_pages=extract.ocr_pages,
        ),
        warnings,
    )


def _coverage(extract: Extract) -> Coverage:
    garbage = sum(len(match[0]) for match in _GARBAGE.finditer(extract.text))
    return replace(extract.coverage, garbage_ratio=round(garbage / len(extract.text), 6) if extract.text else 0.0)


def readable_name(name: str) -> str:
    """A file name as a title: without extension, separators as blanks, the first letter large."""
    stem = name.rpartition(".")[0] or name
    words = " ".join(re.sub(r"[_\s]+|(?<=\w)-(?=\w)", " ", stem).split())
    return words[:1].upper() + words[1:] if words else name


def _report(
    source: Source, documents: list[Document], covers: list[Coverage], warnings: list[str], skipped: str | None
) -> FileReport:
    size = sum(len(document.text) for document in documents)
    garbage = sum(document.coverage.garbage_ratio * len(document.text) for document in documents)
    return FileReport(
        source.doc_id,
        documents=len(documents),
        pages=sum(cover.pages for cover in covers),
        pages_with_text=sum(cover.pages_with_text for cover in covers) if documents else 0,
        ocr_pages=sum(cover.ocr_pages for cover in covers),
        image_only_pages=sum(cover.image_only_pages for cover in covers),
        tables=sum(cover.tables for cover in covers),
        encoding=documents[0].encoding if documents else None,
        language=documents[0].metadata.language if documents else None,
        garbage_ratio=round(garbage / size, 6) if size else 0.0,
        stripped_lines=tuple(line for cover in covers for line in cover.stripped_lines),
        skipped=skipped,
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _why_empty(coverage: Coverage | None) -> str:
    if coverage is not None and coverage.image_only_pages:
        return f"no text in it: {coverage.image_only_pages} of {coverage.pages} pages are only images or unreadable"
    return "no text in it"
