"""What would be sent to a model for a question, and what it would cost: shown before anything is sent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ragcli.cli.output import printable
from ragcli.prices import AS_OF, cost

if TYPE_CHECKING:
    from ragcli.records import Passage, Scope
    from ragcli.wiring import Stages


def plan(stages: Stages, question: str, scope: Scope, *, direct: bool = False) -> dict[str, Any]:
    """The request for a question. ``input_tokens`` is an estimate by the embedding model's tokenizer."""
    from ragcli.records import Usage

    passages = stages.passages(question, scope, direct=direct)
    request = stages.request(question, passages)
    settings = stages.config.answer
    tokens = stages.tokenizer.count(_all_text(request)) if request is not None else 0
    usage = Usage(tokens, settings.max_tokens if request is not None else 0)
    return {
        "schema": "rag.prompt/1",
        "question": question,
        "provider": settings.provider,
        "model": settings.model if request is not None else None,
        "passages": [_passage(passage) for passage in passages],
        "request": request,
        "input_tokens": usage.input_tokens,
        "max_output_tokens": usage.output_tokens,
        "dollars_at_most": cost(settings.model, usage) if request is not None else 0.0,
        "prices_as_of": AS_OF,
    }


def text(content: dict[str, Any]) -> str:
    """The plan in words, the request as JSON."""
    if content["request"] is None:
        lines = ["nothing is sent: the extractive answerer reads these passages on this machine"]
        lines += [f"[{p['number']}] {p['chunk_id']}\n{p['text']}" for p in content["passages"]]
        return printable("\n".join(lines))
    dollars = content["dollars_at_most"]
    price = "no list price known" if dollars is None else f"at most ${dollars:.4f} by the list prices of {AS_OF}"
    about = f"about {content['input_tokens']} tokens to {content['model']}, {price}"
    return printable(f"{about}\n{json.dumps(content['request'], ensure_ascii=False, indent=2)}")


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
