"""What parsing makes of files: text with its structure, what is known about it, and what became of each file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

BlockKind = Literal["heading", "paragraph", "list_item", "table", "code", "quote", "caption", "other"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open range of characters ``text[start:end]``."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """The characters of ``text`` inside this span."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a document's structure, in reading order; blocks do not overlap.

    ``level`` is 1–6 for a heading and the nesting depth (from 1) for a list item, else None.
    ``page`` is None where the format has no pages.
    """

    kind: BlockKind
    span: Span
    page: int | None = None
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and everything under it, up to the next heading of its level or above.

    ``heading_path`` runs from the outermost heading to this section's own.
    """

    heading_path: tuple[str, ...]
    span: Span
    level: int


@dataclass(frozen=True, slots=True)
class Alias:
    """Another form of what stands at ``span``: searched by its words with the chunks there, never shown or quoted.

    The number behind a formatted cell, the joined form of a word that a line end parts.
    """

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Metadata:
    """What is known about a document besides its text.

    Dates are ISO ``YYYY-MM-DD``. ``acl`` empty means public (unless ``index.default_acl`` says otherwise).
    ``supersedes`` names doc_ids or unique path suffixes. Keys without a field of their own are in ``extra``
    and are filtered as ``meta.<key>``.
    """

    language: str | None = None
    modified: str | None = None
    effective_date: str | None = None
    expires: str | None = None
    status: str | None = None
    supersedes: tuple[str, ...] = ()
    acl: tuple[str, ...] = ()
    type: str | None = None
    tags: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)

    def is_open_to(self, groups: Collection[str], default_acl: Collection[str]) -> bool:
        """Whether someone in ``groups`` may see it; ``default_acl`` stands in where it names none."""
        return is_open(self.acl, groups, default_acl)


def stricter_default(built: Sequence[str], now: Sequence[str]) -> tuple[str, ...]:
    """The groups of documents that name none, where a version was built under one setting and is read under another.

    Only a group that both name will do: so an index that was made closed is not open wherever its settings file is not
    found.
    """
    if not built or not now:
        return tuple(built or now)
    return tuple(group for group in now if group in built) or (NOBODY,)


NOBODY = ""
"""A group that nobody is in: no group may be named so."""


def is_open(acl: Collection[str], groups: Collection[str], default_acl: Collection[str]) -> bool:
    """Whether an access set opens something to ``groups``.

    An empty set counts as ``default_acl``, and when that is empty too it is public.
    """
    wanted = acl or default_acl
    return not wanted or not set(wanted).isdisjoint(groups)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a source became text.

    ``pages`` is 1 for formats without pages; ``garbage_ratio`` is the share of replacement, private-use and
    ``(cid:`` characters in the text; ``stripped_lines`` lists running headers, footers and page numbers
    that were removed.
    """

    pages: int = 1
    pages_with_text: int = 1
    ocr_pages: int = 0
    image_only_pages: int = 0
    tables: int = 0
    garbage_ratio: float = 0.0
    stripped_lines: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A source as clean text with its structure.

    ``doc_id`` is the POSIX path under the ingested root (``outer.zip!inner.txt`` inside a container,
    ``rows.jsonl!ROW_ID`` for a row). ``text`` is NFC with ``\\n`` line ends. ``first_line`` is the line of the
    source file on which ``text`` starts, or None where lines of the text are not lines of the source
    (PDF, DOCX, HTML, …). ``sha256`` is of the source bytes. ``ocr_pages`` are those whose text a machine read from a
    picture. ``aliases`` are in the order of their spans.
    """

    doc_id: str
    source: str
    title: str
    text: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...]
    metadata: Metadata
    media_type: str
    sha256: str
    parser: str
    coverage: Coverage
    encoding: str | None = None
    first_line: int | None = None
    also_in: tuple[str, ...] = ()
    ocr_pages: tuple[int, ...] = ()
    aliases: tuple[Alias, ...] = ()


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file: the record of ``rag ingest --report``, every file met has one.

    ``path`` is the doc_id of the file (``outer.zip!inner.txt`` inside a container); ``skipped`` is the reason why
    nothing of it was read, None when it was read. ``documents`` counts the documents it gave. ``withheld`` says that
    it was skipped because who may see it cannot be told, ``passed_over`` that it was on purpose: a file of ragcli's
    own, a link to what is read elsewhere. ``conditions`` (``NAME=VALUE``) are what the outcome hangs on besides the
    file's content: when one changes, the file is read again.
    """

    path: str
    documents: int = 0
    pages: int = 0
    pages_with_text: int = 0
    ocr_pages: int = 0
    image_only_pages: int = 0
    tables: int = 0
    encoding: str | None = None
    language: str | None = None
    garbage_ratio: float = 0.0
    stripped_lines: tuple[str, ...] = ()
    duplicates_of: tuple[str, ...] = ()
    skipped: str | None = None
    warnings: tuple[str, ...] = ()
    withheld: bool = False
    conditions: tuple[str, ...] = ()
    passed_over: bool = False

    @property
    def lost(self) -> bool:
        """Whether the file, or a page of it, was not read and should have been."""
        return not self.passed_over and (self.skipped is not None or self.image_only_pages > 0)
