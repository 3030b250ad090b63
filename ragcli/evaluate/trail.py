"""One question followed through every stage, in words: what ``rag explain`` prints.

Pure: documents, chunks and rankings come in as values. The trail ends in the loss that an evaluation would count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragcli.evaluate.golden_sets.labels import Target
from ragcli.evaluate.losses import CasePath, final_ranking, find_loss, first_rank
from ragcli.evaluate.measuring.context import holds
from ragcli.evaluate.run import Loss
from ragcli.records import Chunk, Document, Ranking


@dataclass(frozen=True, slots=True)
class TrailStep:
    """What one stage did with the expected passage. ``passed`` is None where the stage did not run or cannot tell."""

    stage: str
    passed: bool | None
    detail: str


@dataclass(frozen=True, slots=True)
class Trail:
    """The way of one unit; ``loss`` is None when it was not lost."""

    question: str
    expected: str
    steps: tuple[TrailStep, ...]
    loss: Loss | None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known around a unit: its document and chunks, the model's window, and each leg searched deeper."""

    document: Document | None
    chunks: Sequence[Chunk]
    window: int
    deeper: Mapping[str, Ranking]


def follow(unit: Target, path: CasePath, around: Surroundings) -> Trail:
    """The trail of ``unit``, which must be one of the case's units or evidence."""
    steps = [_corpus(unit, around), *_chunking(unit, around)]
    if unit.fault is None:
        steps += [_filter(unit, path), *(_leg(leg, unit, path, around) for leg in ("bm25", "dense"))]
        steps += [_fusion(unit, path), *_linked(unit, path), _reranking(unit, path), _cut(unit, path)]
    if path.answer is not None:
        steps += [_context(unit, path), *_answer(unit, path)]
    return Trail(path.judged.case.question, unit.name, tuple(steps), find_loss(path))


def _corpus(unit: Target, around: Surroundings) -> TrailStep:
    if around.document is None:
        return TrailStep("corpus", False, unit.detail or "no such document in the index")
    document = around.document
    pages = document.coverage.pages
    size = f"{len(document.text)} characters, {pages} page{'s' if pages != 1 else ''}"
    return TrailStep("corpus", True, f"{document.doc_id}: {size}, parsed by {document.parser}")


def _chunking(unit: Target, around: Surroundings) -> list[TrailStep]:
    if around.document is None:
        return []
    if unit.fault == "not_in_text":
        return [TrailStep("text", False, unit.detail)]
    steps = [TrailStep("text", True, _where(unit, around.document))] if unit.spans else []
    if unit.fault is not None:
        return [*steps, TrailStep("chunks", False, unit.detail)]
    serving = [chunk for chunk in around.chunks if unit.served_by(chunk.chunk_id)]
    sizes = ", ".join(f"{chunk.chunk_id} ({chunk.token_count} tokens)" for chunk in serving[:5])
    more = f" and {len(serving) - 5} more" if len(serving) > 5 else ""
    over = [chunk for chunk in serving if chunk.token_count > around.window]
    whole = f"{len(over)} longer than the model's window of {around.window}" if over else "none truncated"
    return [*steps, TrailStep("chunks", bool(serving) and len(over) < len(serving), f"{sizes}{more}; {whole}")]


def _where(unit: Target, document: Document) -> str:
    span = unit.spans[0]
    page = next((block.page for block in document.blocks if block.span.start <= span.start < block.span.end), None)
    line = document.first_line + document.text.count("\n", 0, span.start) if document.first_line is not None else None
    place = f"page {page}" if page is not None else f"line {line}" if line is not None else "no page or line"
    return f"characters {span.start} to {span.end}, {place}"


def _filter(unit: Target, path: CasePath) -> TrailStep:
    allowed = path.allowed(unit.doc_id)
    return TrailStep(
        "filters", allowed, "allowed" if allowed else "outside the filters, groups or dates of the question"
    )


def _leg(leg: str, unit: Target, path: CasePath, around: Surroundings) -> TrailStep:
    ranking = path.retrieval.legs.get(leg)
    found = _place(unit, ranking)
    if found:
        return TrailStep(leg, True, found)
    deeper = _place(unit, around.deeper.get(leg))
    beyond = f"alone it would be at {deeper}" if deeper else "not found when searched deeper either"
    if ranking is None:
        return TrailStep(leg, None, f"did not run; {beyond}")
    return TrailStep(leg, False, f"not among its {len(ranking.hits)} candidates; {beyond}")


def _place(unit: Target, ranking: Ranking | None) -> str:
    if ranking is None:
        return ""
    hit = next((hit for hit in ranking.hits if unit.served_by(hit.chunk_id)), None)
    return f"rank {hit.rank} with score {hit.score:.4g} ({hit.chunk_id})" if hit else ""


def _fusion(unit: Target, path: CasePath) -> TrailStep:
    found = _place(unit, path.retrieval.fused)
    return TrailStep("fusion", bool(found), found or f"not among the {len(path.retrieval.fused.hits)} fused candidates")


def _linked(unit: Target, path: CasePath) -> list[TrailStep]:
    """How a document that others led to was come upon."""
    ways = [link for link in path.retrieval.links if unit.doc_id in (link.source, link.target)]
    return [TrailStep("graph", True, f"{link.source} names {link.target} ({link.name!r})") for link in ways]


def _reranking(unit: Target, path: CasePath) -> TrailStep:
    if path.retrieval.reranked is None:
        return TrailStep("reranking", None, "did not run")
    found = _place(unit, path.retrieval.reranked)
    return TrailStep("reranking", bool(found), found or f"not among the {len(path.retrieval.reranked.hits)} reranked")


def _cut(unit: Target, path: CasePath) -> TrailStep:
    k, rank = len(path.retrieval.hits), first_rank(unit, final_ranking(path.retrieval))
    if rank is None:
        return TrailStep("k", False, f"not in the ranking; k = {k}")
    return TrailStep("k", rank <= k, f"final rank {rank}, k = {k}")


def _context(unit: Target, path: CasePath) -> TrailStep:
    place = next((n for n, piece in enumerate(path.context, start=1) if holds(unit, piece)), None)
    sent = f"{len(path.context)} passages sent"
    return TrailStep("passages", place is not None, f"passage {place} of {sent}" if place else f"not among the {sent}")


def _answer(unit: Target, path: CasePath) -> list[TrailStep]:
    answer = path.answer
    assert answer is not None
    if not answer.found:
        return [TrailStep("answer", False, f"declined: {answer.not_found_reason}, confidence {answer.confidence}")]
    statuses = ", ".join(sentence.status for sentence in answer.sentences)
    cited = [citation.chunk_id for citation in answer.citations]
    used = any(holds(unit, piece) for piece in path.context if piece.chunk_id in cited)
    return [
        TrailStep("answer", True, f"{answer.text} ({statuses})"),
        TrailStep("citation", used, f"cites {', '.join(cited) or 'nothing'}"),
    ]
