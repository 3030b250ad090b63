"""The whole allowed corpus as passages: only what the asker may see, only when it fits."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ragcli.config import AnswerConfig, Config
from ragcli.errors import ConfigError
from ragcli.pipelines.asking.direct import advice, corpus_size, gather_all
from ragcli.pipelines.asking.inquiry import Inquiry
from ragcli.prices import cost
from ragcli.records import (
    Allowed,
    Chunk,
    Coverage,
    Document,
    Metadata,
    Ranking,
    Retrieval,
    Scope,
    Span,
    Usage,
)

TEXTS = {
    "a.md": ("Remote work is limited to two days.", "It is agreed with the team lead."),
    "secret.md": ("The bonus pool is large.",),
}


class _Engine:
    """Two documents, one for a group."""

    version = "v000001"

    def allowed(self, scope: Scope) -> Allowed:
        return Allowed(sum(len(TEXTS[name]) for name in self._names(scope)), 0, scope)

    def doc_ids(self, allowed: Allowed | None = None) -> list[str]:
        assert allowed is not None
        return self._names(allowed.token)  # type: ignore[arg-type]

    def document_chunks(self, doc_id: str) -> list[Chunk]:
        chunks, start = [], 0
        for number, text in enumerate(TEXTS[doc_id], start=1):
            span = Span(start, start + len(text))
            chunks.append(Chunk(f"{doc_id}#{number}", doc_id, number, span, text, doc_id, token_count=10))
            start = span.end + 1
        return chunks

    def headers(self, doc_ids: Sequence[str]) -> list[Document]:
        return [
            Document(name, name, name, "", (), (), Metadata(effective_date="2026-01-01"), "", "", "", Coverage())
            for name in doc_ids
        ]

    def _names(self, scope: Scope) -> list[str]:
        return ["a.md", "secret.md"] if "hr" in scope.groups else ["a.md"]


def _retrieve(question: str, scope: Scope) -> Retrieval:
    return Retrieval(question, "hybrid", (), {}, Ranking("fused", ()), None, "exact", 0, None, {})


def _gather(scope: Scope, limit: int = 100000) -> tuple[str, ...]:
    config = Config(answer=AnswerConfig(direct_max_tokens=limit))
    inquiry = Inquiry(
        question="q",
        retrieve=_retrieve,
        engine=_Engine(),  # type: ignore[arg-type]
        tokenizer=None,  # type: ignore[arg-type]
        scope=scope,
        config=config,
    )
    found = gather_all("q", inquiry)
    assert [passage.number for passage in found.passages] == list(range(1, len(found.passages) + 1))
    assert all(passage.effective_date == "2026-01-01" for passage in found.passages)
    return tuple(passage.chunk.chunk_id for passage in found.passages)


def test_every_allowed_chunk_and_no_other() -> None:
    assert _gather(Scope()) == ("a.md#1", "a.md#2")
    assert _gather(Scope(groups=("hr",))) == ("a.md#1", "a.md#2", "secret.md#1")


def test_the_size_and_its_price() -> None:
    config = Config(answer=AnswerConfig(model="claude-sonnet-5"))
    size = corpus_size(_Engine(), Scope(), config)  # type: ignore[arg-type]
    assert size is not None
    assert (size.documents, size.chunks, size.tokens) == (1, 2, 100)  # (10 + 30) tokens a chunk, a quarter more
    assert size.dollars == pytest.approx(cost("claude-sonnet-5", Usage(0, 300, cache_write_tokens=100)))
    assert "--direct" in advice(size, config)
    assert "1 documents" in advice(size, config) or "1 document" in advice(size, config)


@pytest.mark.parametrize("limit", [99, 10])
def test_a_corpus_that_does_not_fit_is_refused(limit: int) -> None:
    with pytest.raises(ConfigError, match=f"direct_max_tokens is {limit}"):
        _gather(Scope(), limit)
    config = Config(answer=AnswerConfig(direct_max_tokens=limit))
    assert advice(corpus_size(_Engine(), Scope(), config), config) == ""  # type: ignore[arg-type]
