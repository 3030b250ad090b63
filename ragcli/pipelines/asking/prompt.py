"""What would be sent to a model for a question, and what it would cost: worked out before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ragcli.pipelines.asking.reader import Reader
from ragcli.prices import as_of, cost
from ragcli.records import Passage, Scope, Usage


@dataclass(frozen=True, slots=True)
class PromptPlan:
    """The request for a question; None when nothing is sent. ``input_tokens`` is an estimate by the embedding model's
    tokenizer, ``dollars_at_most`` None without a list price."""

    question: str
    provider: str
    model: str | None
    passages: tuple[Passage, ...]
    request: dict[str, Any] | None
    input_tokens: int
    max_output_tokens: int
    dollars_at_most: float | None

    def to_json(self) -> dict[str, Any]:
        """What ``rag ask --dry-run --json`` prints."""
        return {
            "schema": "rag.prompt/1",
            "question": self.question,
            "provider": self.provider,
            "model": self.model,
            "passages": [_passage(passage) for passage in self.passages],
            "request": self.request,
            "input_tokens": self.input_tokens,
            "max_output_tokens": self.max_output_tokens,
            "dollars_at_most": self.dollars_at_most,
            "prices_as_of": as_of(self.model or ""),
        }


def plan_prompt(reader: Reader, question: str, scope: Scope, *, direct: bool = False) -> PromptPlan:
    """The request for a question, as ``Reader.ask`` would make it."""
    passages = reader.passages(question, scope, direct=direct)
    request = reader.request(question, passages)
    settings = reader.config.answer
    tokens = reader.tokenizer.count(_all_text(request)) if request is not None else 0
    usage = Usage(tokens, settings.max_tokens if request is not None else 0)
    return PromptPlan(
        question=question,
        provider=settings.provider,
        model=settings.model if request is not None else None,
        passages=passages,
        request=request,
        input_tokens=usage.input_tokens,
        max_output_tokens=usage.output_tokens,
        dollars_at_most=cost(settings.model, usage) if request is not None else 0.0,
    )


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "number": passage.number,
        "chunk_id": passage.chunk.chunk_id,
        "source": passage.source,
        "text": passage.text,
    }


def _all_text(value: Any) -> str:
    """Every string in a request, one after the other."""
    if isinstance(value, str):
        return value
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return "\n".join(_all_text(item) for item in items)
