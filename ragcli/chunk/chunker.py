"""From a document to its chunks: the strategy of the config, the window of the model, the records of the index."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragcli.chunk.assembly import assemble
from ragcli.chunk.prefixes import PREFIX_SHARE, Prefixes
from ragcli.chunk.structure import Path, Sizes, structure_cuts
from ragcli.chunk.tokens import SPECIAL_TOKENS, TokenMap
from ragcli.config import ChunkConfig
from ragcli.interfaces import Tokenizer
from ragcli.records import Chunk, Document

Similarity = Callable[[Sequence[str]], Sequence[float]]
"""Cosine of each of n texts with the next one: n - 1 numbers."""

VERSION = "1"
"""Part of every chunk key: raise it when the same settings give other chunks."""


def chunk_document(
    document: Document,
    *,
    tokenizer: Tokenizer,
    config: ChunkConfig,
    window: int,
    similarity: Similarity | None = None,
) -> tuple[Chunk, ...]:
    """The document's chunks, in order.

    ``window`` is the model's limit in tokens, special tokens included; no chunk's ``indexed_text`` exceeds it. Every
    character that is not white space lies in at least one chunk, and each chunk's text is the document's own at its
    span. The same arguments give the same chunks. A document without visible text has none.
    """
    if not document.text.strip():
        return ()
    inside = max(8, window - SPECIAL_TOKENS)
    prefixes = Prefixes(document.title, tokenizer, inside // PREFIX_SHARE)
    tokens = TokenMap(document.text, tokenizer)

    def room(path: Path) -> int:
        return max(1, inside - prefixes.size(path) - 1)

    sizes = Sizes(config.max_tokens, config.min_tokens, room)
    cuts = structure_cuts(document, tokens, sizes)
    return assemble(document, cuts, prefixes=prefixes, tokenizer=tokenizer, tokens=tokens, window=inside)
