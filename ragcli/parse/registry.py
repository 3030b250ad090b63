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
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ragcli.config import IngestConfig
from ragcli.errors import ParseError
from ragcli.parse.assemble import sections_of
from ragcli.parse.detect import BINARY, CODE, MARKUP, WORD, detect
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


FAMILIES = (
    Family("markdown", 1, ("text/markdown",), ("markdown-it-py",)),
    Family("text", 1, ("text/plain", *MARKUP.values(), *CODE.values(), "text/vtt", "application/x-subrip")),
    Family("html", 1, ("text/html", "application/xhtml+xml"), ("trafilatura", "lxml")),
    Family("pdf", 1, ("application/pdf",), ("pymupdf",)),
    Family("word", 1, (WORD,), ("python-docx",)),
    Family("rows", 2, ("text/csv", "text/tab-separated-values", "application/jsonl", "application/json")),
)
_BY_TYPE = {kind: family for family in FAMILIES for kind in family.media_types}
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


def context_for(config: IngestConfig) -> Context:
    """A fresh context: limits are counted for one top-level file."""
    passwords = [*config.passwords, *os.environ.get("RAG_PDF_PASSWORDS", "").split("\n")]
    passwords += os.environ.get("RAG_PDF_PASSWORDS", "").split(",")
    budget = Budget(config.archive_entries, config.archive_unpacked_mb * 1_000_000)
    return Context(config, tuple(dict.fromkeys(word for word in passwords if word)), budget)


def read(source: Source, context: Context) -> Iterator[Document | FileReport]:
    """Every document of a source, containers opened, and a report for it and for everything inside it.

    The report of a source comes after everything else of it. Nothing is raised for what a file holds.
    """
    digest = hashlib.sha256(source.data).hexdigest()
    documents: list[Document] = []
    losses: list[str] = []
    empty: Coverage | None = None
    own: FileReport | None = None
    children = 0
    try:
        source = _detected(source)
        for outcome in _parser(source)(source, context):
            if isinstance(outcome, Extract):
                document, warnings = to_document(outcome, source, digest)
                losses += warnings
                empty = empty or outcome.coverage
                documents += [document] if document is not None else []
            elif isinstance(outcome, FileReport) and outcome.path == source.doc_id:
                own = outcome
            else:
                children += 1
                yield from _child(outcome, source, digest, context) if isinstance(outcome, Source) else (outcome,)
    except ParseError as error:
        losses.append(_reason(error, source))
    yield from documents
    if own is not None:
        yield own
    elif not documents and not children and empty is None:
        yield FileReport(source.doc_id, skipped=losses[-1] if losses else "no text in it")
    else:
        yield _report(source, documents, losses, empty)


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
        raise ParseError(f"needs {error.name}, which is not installed", hint=_install(family)) from error
    return parser


def _install(family: Family) -> str:
    return f"pip install 'ragcli[{family.extra}]'" if family.extra else "reinstall ragcli"


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


def _report(source: Source, documents: list[Document], losses: list[str], empty: Coverage | None) -> FileReport:
    """The file's report; ``empty`` is the coverage of a source that gave no text."""
    covers = [document.coverage for document in documents] or ([empty] if empty else [])
    size = sum(len(document.text) for document in documents)
    garbage = sum(document.coverage.garbage_ratio * len(document.text) for document in documents)
    return FileReport(
        source.doc_id,
        documents=len(documents),
        pages=sum(cover.pages for cover in covers),
        pages_with_text=sum(cover.pages_with_text for cover in covers),
        ocr_pages=sum(cover.ocr_pages for cover in covers),
        image_only_pages=sum(cover.image_only_pages for cover in covers),
        tables=sum(cover.tables for cover in covers),
        encoding=documents[0].encoding if documents else None,
        language=documents[0].metadata.language if documents else None,
        garbage_ratio=round(garbage / size, 6) if size else 0.0,
        stripped_lines=tuple(line for cover in covers for line in cover.stripped_lines),
        skipped=None if documents or not empty else _why_empty(empty),
        warnings=tuple(dict.fromkeys(losses)),
    )


def _why_empty(coverage: Coverage) -> str:
    if coverage.image_only_pages:
        return f"no text in it: {coverage.image_only_pages} of {coverage.pages} pages are only images"
    return "no text in it"
