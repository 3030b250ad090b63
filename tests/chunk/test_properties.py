"""What holds for every document, setting and window: over generated documents, and over real trees of files."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.chunk.chunker import chunk_document
from ragcli.chunk.units import inside_word
from ragcli.config import ChunkConfig
from ragcli.interfaces import Tokenizer
from ragcli.records import Block, BlockKind, Chunk, Document, Span
from tests.chunk.documents import MiniLM, from_markdown, of_blocks

REAL = MiniLM()
KINDS: tuple[BlockKind, ...] = ("heading", "paragraph", "list_item", "table", "code", "quote", "caption", "other")
VISIBLE = (
    "Refunds take five days. ¦Why? ¦E-4012 ¦これは文です。¦两天。¦"
    + "長" * 90
    + "¦यह एक वाक्य है। ¦ไทยไม่มีวรรค ¦| a | b |¦"
    "| --- | --- |¦- item¦def f():¦    return 1¦e\u0301¦👩‍👩‍👧¦ﬁ¦\u200b¦\u00ad¦…¦Note: ¦See the following:"
    "¦antidisestablishmentarianism"
)
TEXTS = st.lists(
    st.one_of(
        st.sampled_from([*VISIBLE.split("¦"), "\n", "\n\n", " ", "\t", "Q" * 300, "word " * 150, "a,b;" * 100]),
        st.text(max_size=20),
    ),
    max_size=12,
).map("".join)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Any blocks in any order, with stretches that no block holds."""
    text, blocks = "", []
    for _ in range(draw(st.integers(0, 8))):
        text += draw(st.sampled_from(["", "\n", "\n\n", " stray ", "\n\nstray\n\n"]))
        own = draw(TEXTS)
        kind = draw(st.sampled_from(KINDS))
        level = draw(st.integers(1, 4)) if kind in ("heading", "list_item") else None
        if own:
            blocks.append(
                Block(kind, Span(len(text), len(text) + len(own)), draw(st.sampled_from([None, 1, 2])), level)
            )
        text += own
    title = draw(st.sampled_from(["", "A title", "A long title " * 30, "Q" * 500]))
    return of_blocks(text, blocks, title=title, first_line=draw(st.sampled_from([None, 1, 5])))


@st.composite
def settings_of(draw: st.DrawFn) -> ChunkConfig:
    return ChunkConfig(
        strategy=draw(st.sampled_from(["structure", "structure", "fixed", "semantic"])),
        max_tokens=draw(st.sampled_from([16, 40, 200, 1000])),
        min_tokens=draw(st.sampled_from([0, 24, 100])),
        overlap=draw(st.sampled_from([0, 0, 10, 50])),
        parent=draw(st.sampled_from(["off", "section", "neighbours"])),
        parent_max_tokens=draw(st.sampled_from([16, 100, 600])),
    )


def similar_lengths(texts: Sequence[str]) -> list[float]:
    """Stands for a model: neighbours are the closer the nearer their lengths."""
    return [min(len(a), len(b)) / max(len(a), len(b), 1) for a, b in pairwise(texts)]


def check(
    doc: Document, chunks: tuple[Chunk, ...], tokenizer: Tokenizer, window: int, config: ChunkConfig | None = None
) -> None:
    """Every promise of ``chunk_document``."""
    config = config or ChunkConfig()
    position = start = 0
    for ordinal, chunk in enumerate(chunks, 1):
        assert chunk.chunk_id == f"{doc.doc_id}#{ordinal}" and chunk.ordinal == ordinal
        assert chunk.text == chunk.span.of(doc.text) and chunk.text.strip()
        assert chunk.span.end > position and chunk.span.start >= start
        if not config.overlap:
            assert chunk.span.start >= position
        assert doc.text[position : chunk.span.start].strip() == ""
        position, start = chunk.span.end, chunk.span.start
        assert chunk.parent is None or config.parent != "off"
        if chunk.parent is not None:
            assert chunk.parent.start <= chunk.span.start and chunk.span.end <= chunk.parent.end != chunk.span
            assert tokenizer.count(chunk.parent.of(doc.text)) <= 1.2 * max(config.parent_max_tokens, 200)
        assert chunk.token_count == tokenizer.count(chunk.text)
        if chunk.first_line is not None and doc.first_line is not None:
            assert chunk.first_line == doc.first_line + doc.text.count("\n", 0, chunk.span.start)
            assert chunk.last_line == doc.first_line + doc.text.count("\n", 0, chunk.span.end)
    assert doc.text[position:].strip() == ""
    counts = tokenizer.count_many([c.indexed_text for c in chunks])
    assert counts == [c.indexed_tokens for c in chunks]
    assert all(count <= window - 2 for count in counts)


@settings(max_examples=200)
@given(documents(), settings_of(), st.sampled_from([32, 64, 256]))
def test_nothing_is_lost_and_nothing_exceeds_the_window(doc: Document, config: ChunkConfig, window: int) -> None:
    chunks = chunk_document(doc, tokenizer=REAL, config=config, window=window, similarity=similar_lengths)
    check(doc, chunks, REAL, window, config)
    again = chunk_document(doc, tokenizer=REAL, config=config, window=window, similarity=similar_lengths)
    assert again == chunks


@given(documents())
def test_no_chunk_is_headings_alone_beside_text(doc: Document) -> None:
    chunks = chunk_document(doc, tokenizer=REAL, config=ChunkConfig(max_tokens=60), window=256)
    headings = [block.span for block in doc.blocks if block.kind == "heading"]
    if any(REAL.count(span.of(doc.text)) > 50 for span in headings):
        return  # a heading as long as a chunk is text

    def bare(chunk: Chunk) -> bool:
        text = list(chunk.text)
        for span in headings:
            for index in range(max(0, span.start - chunk.span.start), min(len(text), span.end - chunk.span.start)):
                text[index] = " "
        return not "".join(text).strip()

    if not all(map(bare, chunks)):
        assert not any(map(bare, chunks))


@given(TEXTS)
def test_words_are_never_cut(text: str) -> None:
    for chunk in chunk_document(
        of_blocks(text, [Block("paragraph", Span(0, len(text)))]),
        tokenizer=REAL,
        config=ChunkConfig(max_tokens=40),
        window=256,
    ):
        for position in (chunk.span.start, chunk.span.end):
            if inside_word(text, position):
                start = end = position
                while start and inside_word(text, start):
                    start -= 1
                while end < len(text) and inside_word(text, end):
                    end += 1
                assert end - start > 200 or REAL.count(text[start:end]) > 20


@pytest.fixture(scope="session")
def tree(shared_data: Path) -> list[Path]:
    files = sorted((shared_data / "trees" / "18f_handbook").rglob("*.md"))
    golden = sorted(p for p in (shared_data / "golden").glob("*/docs/**/*.md") if "datatalks" not in str(p))
    return files[::9] + golden[::12]


@pytest.mark.shared
@pytest.mark.parametrize(
    "config",
    [
        ChunkConfig(),
        ChunkConfig(max_tokens=64, min_tokens=0, overlap=20, parent="section", parent_max_tokens=200),
        ChunkConfig(strategy="fixed", max_tokens=100, overlap=20),
        ChunkConfig(strategy="semantic", parent="neighbours"),
    ],
    ids=["default", "small", "fixed", "semantic"],
)
def test_real_files_keep_every_promise(tree: list[Path], config: ChunkConfig) -> None:
    for path in tree:
        doc = from_markdown(path.read_text(encoding="utf-8"), title=path.stem, doc_id=path.name)
        doc = dataclasses.replace(doc, first_line=1)
        chunks = chunk_document(doc, tokenizer=REAL, config=config, window=256, similarity=similar_lengths)
        check(doc, chunks, REAL, 256, config)
