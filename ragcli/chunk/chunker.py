"""From a document to its chunks: the strategy of the config, the window of the model, the records of the index."""

from __future__ import annotations

from collections.abc import Callable

from ragcli.chunk.assembly import assemble
from ragcli.chunk.context import room_for
from ragcli.chunk.cuts import Cut, HeadingPath, Sizes
from ragcli.chunk.fixed import fixed_cuts
from ragcli.chunk.overlap import with_overlap
from ragcli.chunk.parents import with_parents
from ragcli.chunk.prefixes import PREFIX_SHARE, Prefixes
from ragcli.chunk.semantic import Similarity, semantic_cuts
from ragcli.chunk.structure import structure_cuts
from ragcli.chunk.tokens import SPECIAL_TOKENS, TokenMap
from ragcli.config import ChunkConfig
from ragcli.errors import ConfigError
from ragcli.interfaces import Tokenizer
from ragcli.records import Chunk, Document

VERSION = "4"
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
    character that is not white space lies in at least one chunk (in one only, unless ``chunk.overlap`` is set), and
    each chunk's text is the document's own at its span. The same arguments give the same chunks. A document without
    visible text has none. ``similarity`` is asked by the semantic strategy alone; ConfigError when it is missing there.
    """
    if not document.text.strip():
        return ()
    inside = max(8, window - SPECIAL_TOKENS)
    reserve = room_for(config.context, inside)
    prefixes = Prefixes(document.title, tokenizer, inside // PREFIX_SHARE)
    tokens = TokenMap(document.text, tokenizer)

    def room(path: HeadingPath) -> int:
        return max(1, inside - prefixes.size(path) - 1 - reserve)

    cuts = _cuts(document, tokens, config, room, similarity)
    chunks = assemble(document, cuts, prefixes=prefixes, tokenizer=tokenizer, tokens=tokens, window=inside - reserve)
    if config.parent == "off":
        return chunks
    return with_parents(document, chunks, tokens, config.parent, config.parent_max_tokens)


def _cuts(
    document: Document,
    tokens: TokenMap,
    config: ChunkConfig,
    room: Callable[[HeadingPath], int],
    similarity: Similarity | None,
) -> list[Cut]:
    if config.strategy == "fixed":
        sizes = Sizes(config.max_tokens, config.min_tokens, room)
        return fixed_cuts(document, tokens, sizes, min(config.overlap, config.max_tokens // 2))
    overlap = min(config.overlap, config.max_tokens // 2)
    sizes = Sizes(config.max_tokens - overlap, config.min_tokens, lambda path: max(1, room(path) - overlap))
    if config.strategy == "semantic":
        if similarity is None:
            raise ConfigError("chunk.strategy is 'semantic', which needs an embedding model, and none was given")
        cuts = semantic_cuts(document, tokens, sizes, similarity)
    else:
        cuts = structure_cuts(document, tokens, sizes)
    return with_overlap(document, cuts, tokens, overlap)
