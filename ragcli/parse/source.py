"""What goes into a parser and what comes out of it, before it becomes a document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ragcli.config import IngestConfig
from ragcli.errors import ParseError
from ragcli.parse.access import Statement
from ragcli.parse.conditions import setting
from ragcli.records import Alias, Block, Coverage, FileReport


@dataclass(frozen=True, slots=True)
class Source:
    """One file, archive entry or attachment in memory.

    ``doc_id`` is its path under the root, ``outer.zip!inner.txt`` inside a container; ``media_type`` is empty until
    it is detected; ``depth`` counts the containers around it; ``modified`` is an ISO date its container gave it;
    ``ancestors`` are the digests of the containers around it, ``acl`` the groups that these leave. ``reader`` names
    the parser and its version once that is known.
    """

    doc_id: str
    data: bytes
    media_type: str = ""
    depth: int = 0
    modified: str | None = None
    ancestors: tuple[str, ...] = ()
    acl: tuple[str, ...] = ()
    reader: str = ""

    @property
    def name(self) -> str:
        """The file's own name, without folders and containers."""
        return self.doc_id.rsplit("!", 1)[-1].rstrip("/").rsplit("/", 1)[-1]

    @property
    def extension(self) -> str:
        """The lower-case extension with its dot, empty when there is none."""
        stem, dot, end = self.name.rpartition(".")
        return f".{end.lower()}" if dot and stem else ""


@dataclass(frozen=True, slots=True)
class Extract:
    """The text and structure a parser read from a source.

    ``declared`` are metadata the source states about itself (front matter keys); ``line_of_key`` says on which source
    line, for warnings. ``heading_titles`` gives the clean title of each heading block, in order, where the block's
    own text carries markup. ``row`` names one of several documents of a source; ``title`` is empty when the source
    has none. ``coverage`` need not hold ``garbage_ratio``. ``stated`` is what the source says of who may see it
    elsewhere than in ``declared``.
    """

    text: str
    blocks: tuple[Block, ...]
    title: str = ""
    declared: Mapping[str, Any] = field(default_factory=dict)
    line_of_key: Mapping[str, int] = field(default_factory=dict)
    heading_titles: tuple[str, ...] | None = None
    coverage: Coverage = field(default_factory=Coverage)
    encoding: str | None = None
    first_line: int | None = None
    ocr_pages: tuple[int, ...] = ()
    row: str | None = None
    aliases: tuple[Alias, ...] = ()
    stated: tuple[Statement, ...] = ()


@dataclass(slots=True)
class Budget:
    """What may still be unpacked from containers while one top-level file is parsed."""

    entries: int
    size: int
    conditions: set[str]

    def take(self, size: int, where: str, entries: int = 1) -> None:
        """Account for ``size`` bytes of one entry. Raises ParseError when the limits of the file are used up."""
        self.entries -= entries
        self.size -= size
        if self.entries < 0:
            self.conditions.add(setting("archive_entries"))
            raise ParseError(f"{where}: too many entries (ingest.archive_entries)")
        if self.size < 0:
            self.conditions.add(setting("archive_unpacked_mb"))
            raise ParseError(f"{where}: unpacks to too much data (ingest.archive_unpacked_mb)")


def too_large(size: int, config: IngestConfig) -> str | None:
    """Why a file or entry of ``size`` bytes is not read; None when it may be."""
    if size <= config.max_file_mb * 1_000_000:
        return None
    return f"{size / 1_000_000:.0f} MB, over ingest.max_file_mb = {config.max_file_mb:g}"


def _no_tick() -> None:
    """Nobody watches the progress."""


@dataclass(frozen=True, slots=True)
class Context:
    """What every parser may use besides its source.

    ``conditions`` collects the names of what decided the outcome besides the file. ``tick`` is called after each page
    of a long work, so that a time limit counts from there.
    """

    config: IngestConfig
    passwords: tuple[str, ...]
    budget: Budget
    tick: Callable[[], None] = _no_tick
    conditions: set[str] = field(default_factory=set)


Outcome = Extract | Source | FileReport
"""A document, something inside the source that is to be parsed in its turn, or something that was lost."""


class ParserPart(Protocol):
    """A parser of another package, such as a module with these names: the entry point of the group ``ragcli.parsers``.

    Files with one of its ``extensions`` (lower case, with the dot) are its, whatever they hold; it runs in a process of
    its own like every parser, under the same limits. Raise ``version`` when its output changes.
    """

    @property
    def version(self) -> int:
        """Counted from 1."""

    @property
    def extensions(self) -> Sequence[str]:
        """Such as ``(".log2",)``."""

    @property
    def media_type(self) -> str:
        """What its documents are said to be."""

    @property
    def parse(self) -> Parser:
        """Its reader."""


class Parser(Protocol):
    """A format's reader. Raises ParseError when nothing of the source can be read."""

    def __call__(self, source: Source, context: Context, /) -> Iterator[Outcome]:
        """The source's documents, children and losses, in order."""
