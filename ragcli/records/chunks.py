"""What is indexed and found."""

from __future__ import annotations

from dataclasses import dataclass

from ragcli.records.documents import Span


@dataclass(frozen=True, slots=True)
class Chunk:
    """The unit that is indexed and found.

    ``text`` is exactly ``document.text[span]`` and is what quotes are checked against. ``lead`` is text repeated
    from elsewhere in the same document so that the chunk can stand alone (a table's caption and header row, a list's
    lead-in); ``context`` is text that a model wrote about the chunk; ``questions`` are questions it answers. They
    are indexed and shown to the generator as context but never quoted. ``aliases`` are other forms of words in the text
    (``Alias``), for BM25 alone. ``parent`` is the span handed to the generator
    instead of ``span`` under parent-child chunking, None otherwise. Lines are None where ``Document.first_line`` is.
    ``token_count`` is of ``text``, ``indexed_tokens`` of ``indexed_text``, both by the embedding model's tokenizer and
    without its special tokens.
    """

    chunk_id: str
    doc_id: str
    ordinal: int
    span: Span
    text: str
    title: str
    heading_path: tuple[str, ...] = ()
    first_page: int | None = None
    last_page: int | None = None
    first_line: int | None = None
    last_line: int | None = None
    parent: Span | None = None
    lead: str = ""
    context: str = ""
    questions: tuple[str, ...] = ()
    token_count: int = 0
    indexed_tokens: int = 0
    ocr: bool = False
    aliases: str = ""

    @property
    def prefix(self) -> str:
        """Title and heading path on one line, the title not repeated when it is the first heading."""
        path = self.heading_path
        if path and path[0].casefold() == self.title.casefold():
            path = path[1:]
        return " > ".join(part for part in (self.title, *path) if part)

    @property
    def indexed_text(self) -> str:
        """What is embedded: prefix, context, lead and the chunk's own text, a line each."""
        parts = (self.prefix, self.context, *self.questions, self.lead, self.text)
        return "\n".join(part for part in parts if part)
