"""One question followed through every stage, in words: what ``rag explain`` prints.

Pure: documents, chunks and rankings come in as values. The trail ends in the loss that an evaluation would count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragcli.evaluate.golden_sets.labels import Unit
from ragcli.evaluate.losses import Path, final_ranking, find_loss, first_rank
from ragcli.evaluate.measuring.context import holds
from ragcli.evaluate.run import Loss
from ragcli.records import Chunk, Document, Ranking


@dataclass(frozen=True, slots=True)
class Step:
    """What one stage did with the expected passage. ``passed`` is None where the stage did not run or cannot tell."""

    stage: str
    passed: bool | None
    detail: str


@dataclass(frozen=True, slots=True)
class Trail:
    """The way of one unit; ``loss`` is None when it was not lost."""

    question: str
    expected: str
    steps: tuple[Step, ...]
    loss: Loss | None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known around a unit: its document and chunks, the model's window, and each leg searched deeper."""

    document: Document | None
    chunks: Sequence[Chunk]
    window: int
    deeper: Mapping[str, Ranking]


def follow(unit: Unit, path: Path, around: Surroundings) -> Trail:
    """The trail of ``unit``, which must be one of the case's units or evidence."""
    steps = [_corpus(unit, around), *_chunking(unit, around)]
    if unit.fault is None:
        steps += [_filter(unit, path), *(_leg(leg, unit, path, around) for leg in ("bm25", "dense"))]
        steps += [_fusion(unit, path), _reranking(unit, path), _cut(unit, path)]
    if path.answer is not None:
        steps += [_context(unit, path), *_answer(unit, path)]
    return Trail(path.judged.case.question, unit.name, tuple(steps), find_loss(path))


def _corpus(unit: Unit, around: Surroundings) -> Step:
    if around.document is None:
        return Step("corpus", False, unit.detail or "no such document in the index")
    document = around.document
    pages = document.coverage.pages
    size = f"{len(document.text)} characters, {pages} page{'s' if pages != 1 else ''}"
    return Step("corpus", True, f"{document.doc_id}: {size}, parsed by {document.parser}")


def _chunking(unit: Unit, around: Surroundings) -> list[Step]:
    if around.document is None:
        return []
    if unit.fault == "not_in_text":
        return [Step("text", False, unit.detail)]
    steps = [Step("text", True, _where(unit, around.document))] if unit.spans else []
    if unit.fault is not None:
        return [*steps, Step("chunks", False, unit.detail)]
    serving = [chunk for chunk in around.chunks if unit.served_by(chunk.chunk_id)]
    sizes = ", ".join(f"{chunk.chunk_id} ({chunk.token_count} tokens)" for chunk in serving[:5])
    more = f" and {len(serving) - 5} more" if len(serving) > 5 else ""
    over = [chunk for chunk in serving if chunk.token_count > around.window]
    whole = f"{len(over)} longer than the model's window of {around.window}" if over else "none truncated"
    return [*steps, Step("chunks", bool(serving) and len(over) < len(serving), f"{sizes}{more}; {whole}")]


def _where(unit: Unit, document: Document) -> str:
    span = unit.spans[0]
    page = next((block.page for block in document.blocks if block.span.start <= span.start < block.span.end), None)
    line = document.first_line + document.text.count("\n", 0, span.start) if document.first_line is not None else None
    place = f"page {page}" if page is not None else f"line {line}" if line is not None else "no page or line"
    return f"characters {span.start} to {span.end}, {place}"


def _filter(unit: Unit, path: Path) -> Step:
    allowed = path.allowed(unit.doc_id)
    return Step("filters", allowed, "allowed" if allowed else "outside the filters, groups or dates of the question")


def _leg(leg: str, unit: Unit, path: Path, around: Surroundings) -> Step:
    ranking = path.retrieval.legs.get(leg)
    found = _place(unit, ranking)
    if found:
        return Step(leg, True, found)
    deeper = _place(unit, around.deeper.get(leg))
    beyond = f"alone it would be at {deeper}" if deeper else "not found when searched deeper either"
    if ranking is None:
        return Step(leg, None, f"did not run; {beyond}")
    return Step(leg, False, f"not among its {len(ranking.hits)} candidates; {beyond}")


def _place(unit: Unit, ranking: Ranking | None) -> str:
    if ranking is None:
        return ""
    hit = next((hit for hit in ranking.hits if unit.served_by(hit.chunk_id)), None)
    return f"rank {hit.rank} with score {hit.score:.4g} ({hit.chunk_id})" if hit else ""


def _fusion(unit: Unit, path: Path) -> Step:
    found = _place(unit, path.retrieval.fused)
    return Step("fusion", bool(found), found or f"not among the {len(path.retrieval.fused.hits)} fused candidates")


def _reranking(unit: Unit, path: Path) -> Step:
    if path.retrieval.reranked is None:
        return Step("reranking", None, "did not run")
    found = _place(unit, path.retrieval.reranked)
    return Step("reranking", bool(found), found or f"not among the {len(path.retrieval.reranked.hits)} reranked")


def _cut(unit: Unit, path: Path) -> Step:
    k, rank = len(path.retrieval.hits), first_rank(unit, final_ranking(path.retrieval))
    if rank is None:
        return Step("k", False, f"not in the ranking; k = {k}")
    return Step("k", rank <= k, f"final rank {rank}, k = {k}")


def _context(unit: Unit, path: Path) -> Step:
    place = next((n for n, piece in enumerate(path.context, start=1) if holds(unit, piece)), None)
    sent = f"{len(path.context)} passages sent"
    return Step("passages", place is not None, f"passage {place} of {sent}" if place else f"not among the {sent}")


def _answer(unit: Unit, path: Path) -> list[Step]:
    answer = path.answer
    assert answer is not None
    if not answer.found:
        return [Step("answer", False, f"declined: {answer.not_found_reason}, confidence {answer.confidence}")]
    statuses = ", ".join(sentence.status for sentence in answer.sentences)
    cited = [citation.chunk_id for citation in answer.citations]
    used = any(holds(unit, piece) for piece in path.context if piece.chunk_id in cited)
    return [
        Step("answer", True, f"{answer.text} ({statuses})"),
        Step("citation", used, f"cites {', '.join(cited) or 'nothing'}"),
    ]
