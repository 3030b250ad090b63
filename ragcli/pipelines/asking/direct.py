"""The whole allowed corpus in front of the model instead of a search: what it holds, whether it fits, what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragcli.config import Config
from ragcli.errors import ConfigError
from ragcli.interfaces import Engine
from ragcli.pipelines.asking.inquiry import Gathered, Inquiry
from ragcli.prices import cost
from ragcli.records import Chunk, Passage, Scope, Usage

_ELEMENT_TOKENS = 30
"""Tokens of a passage's own frame: its tag, source, heading."""
_MODEL_TOKENS = 1.25
"""Tokens of a language model to one of the embedding model's word pieces: an estimate, said to be one."""


@dataclass(frozen=True, slots=True)
class CorpusSize:
    """What an asker may see: ``tokens`` is an estimate for the language model; ``dollars`` None without a price.

    ``dollars`` is what the first question costs, ``dollars_cached`` each further one within the cache's minutes.
    """

    documents: int
    chunks: int
    tokens: int
    dollars: float | None
    dollars_cached: float | None


def corpus_size(engine: Engine, scope: Scope, config: Config) -> CorpusSize | None:
    """The size of what ``scope`` may see; None when it is surely too large for ``answer.direct_max_tokens``."""
    allowed = engine.allowed(scope)
    if allowed.count * 16 > config.answer.direct_max_tokens:
        return None
    doc_ids = engine.doc_ids(allowed)
    tokens = 0
    for chunk in _chunks(engine, scope):
        tokens += chunk.token_count + _ELEMENT_TOKENS
    return _size(len(doc_ids), allowed.count, round(tokens * _MODEL_TOKENS), config)


def advice(size: CorpusSize | None, config: Config) -> str:
    """A notice that the whole corpus would fit; ``""`` when it would not."""
    if size is None or size.tokens > config.answer.direct_max_tokens or not size.chunks:
        return ""
    price = "" if size.dollars is None else f", about ${size.dollars:.3f} a question, ${size.dollars_cached:.3f} cached"
    return (
        f"all {size.documents} documents you may see are about {size.tokens:,} tokens: "
        f"--direct sends them whole to the model{price}"
    )


def gather_all(question: str, inquiry: Inquiry) -> Gathered:
    """Every allowed chunk as a passage, document by document; the search runs as well, to name the nearest.

    Raises ConfigError when the corpus is larger than ``answer.direct_max_tokens``.
    """
    engine, scope, config = inquiry.engine, inquiry.scope, inquiry.config
    size = corpus_size(engine, scope, config)
    if size is None or size.tokens > config.answer.direct_max_tokens:
        held = "far more" if size is None else f"about {size.tokens:,}"
        raise ConfigError(
            f"--direct sends the whole corpus: {held} tokens, answer.direct_max_tokens is "
            f"{config.answer.direct_max_tokens:,}",
            hint="narrow it with --filter, raise answer.direct_max_tokens, or leave --direct out",
        )
    retrieval = inquiry.search(question)
    scores = {hit.chunk.chunk_id: hit for hit in retrieval.hits}
    passages = []
    for number, chunk in enumerate(_chunks(engine, scope), start=1):
        header, hit = engine.headers([chunk.doc_id])[0], scores.get(chunk.chunk_id)
        passages.append(
            Passage(
                number=number,
                chunk=chunk,
                text=chunk.text,
                span=chunk.span,
                source=header.source,
                effective_date=header.metadata.effective_date,
                media_type=header.media_type,
                dense_score=hit.dense_score if hit is not None else None,
                bm25_score=hit.bm25_score if hit is not None else None,
                rerank_score=hit.rerank_score if hit is not None else None,
            )
        )
    sent = f"the whole corpus was sent: {size.documents} documents, about {size.tokens:,} tokens"
    return Gathered(retrieval, tuple(passages), notices=(sent,))


def _chunks(engine: Engine, scope: Scope) -> Iterator[Chunk]:
    for doc_id in engine.doc_ids(engine.allowed(scope)):
        yield from engine.document_chunks(doc_id)


def _size(documents: int, chunks: int, tokens: int, config: Config) -> CorpusSize:
    model, output = config.answer.model, 300
    first = cost(model, Usage(0, output, cache_write_tokens=tokens))
    again = cost(model, Usage(0, output, cache_read_tokens=tokens))
    return CorpusSize(documents, chunks, tokens, first, again)
