"""What a parser read, as a document and as the report of its file."""

from __future__ import annotations

import re
from dataclasses import replace

from ragcli.errors import AccessError
from ragcli.parse.access import access_of, says_who, statements_in, strictest
from ragcli.parse.assemble import sections_of
from ragcli.parse.language import detect_language
from ragcli.parse.metadata import declare
from ragcli.parse.source import Extract, Source
from ragcli.parse.text.front_matter import claims_access, head_statements
from ragcli.records import Coverage, Document, FileReport, Metadata

_GARBAGE = re.compile(r"[\ufffd\ue000-\uf8ff\U000f0000-\U0010fffd]|\(cid:\d+\)")

_HINT = "restrict it with a rule in ingest.rules or with --acl, and take that out of its text"


def to_document(extract: Extract, source: Source, digest: str) -> tuple[Document | None, list[str], tuple[str, ...]]:
    """The document an extract makes (None when it holds no text), warnings, and the groups that it is for (its acl).

    Raises AccessError when it says who may see it in a way that cannot be honoured.
    """
    doc_id = source.doc_id if extract.row is None else f"{source.doc_id}!{extract.row}"
    metadata = Metadata(language=detect_language(extract.text), modified=source.modified)
    metadata, problems = declare(metadata, extract.declared, doc_id, extract.line_of_key)
    metadata, more = _restricted(metadata, extract, source, doc_id)
    warnings = [*extract.coverage.warnings, *problems, *more]
    if not extract.text.strip():
        return None, warnings, metadata.acl
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
            parser=source.reader,
            coverage=_coverage(extract),
            encoding=extract.encoding,
            first_line=extract.first_line,
            ocr_pages=extract.ocr_pages,
            aliases=extract.aliases,
        ),
        warnings,
        metadata.acl,
    )


def _restricted(metadata: Metadata, extract: Extract, source: Source, doc_id: str) -> tuple[Metadata, list[str]]:
    """The metadata with every other statement of access in the source and around it, and what was found so.

    Raises AccessError when one cannot be honoured.
    """
    if claims_access(extract.text) and not source.media_type.startswith("text/x-code-"):
        told = "begins like front matter that says who may see it, which is not read in this format"
        raise AccessError(f"{doc_id}: {told}", hint=_HINT)
    hash_remarks = source.media_type == "text/plain" or source.media_type.startswith("text/x-code-")
    found = [*extract.stated, *head_statements(extract.text, hash_remarks=hash_remarks)]
    acl = strictest([metadata.acl, source.acl, access_of(found, doc_id)], doc_id)
    # ``groups`` and ``access`` are words like others too: whoever did not mean them reads what they did.
    found += [one for one in statements_in(extract.declared, among_metadata=True) if not says_who(one[0])]
    words = ", ".join(dict.fromkeys(f"{name}: {value}" for name, value in found))
    warnings = [f"{doc_id}: only for {', '.join(acl)}, as it says itself ({words[:200]})"] if found else []
    return replace(metadata, acl=acl), warnings


def _coverage(extract: Extract) -> Coverage:
    garbage = sum(len(match[0]) for match in _GARBAGE.finditer(extract.text))
    ratio = round(garbage / len(extract.text), 6) if extract.text else 0.0
    tables = max(extract.coverage.tables, sum(block.kind == "table" for block in extract.blocks))
    return replace(extract.coverage, garbage_ratio=ratio, tables=tables)


def readable_name(name: str) -> str:
    """A file name as a title: without extension, separators as blanks, the first letter large."""
    stem = name.rpartition(".")[0] or name
    words = " ".join(re.sub(r"[_\s]+|(?<=\w)-(?=\w)", " ", stem).split())
    return words[:1].upper() + words[1:] if words else name


def report_of(
    source: Source, documents: list[Document], covers: list[Coverage], warnings: list[str], skipped: str | None
) -> FileReport:
    """The report of a file that gave ``documents``."""
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


def why_empty(coverage: Coverage | None) -> str:
    """Why a file without a document has none."""
    if coverage is not None and coverage.image_only_pages:
        return f"no text in it: {coverage.image_only_pages} of {coverage.pages} pages are only images or unreadable"
    return "no text in it"
