"""What would be sent to a model for a question, in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ragcli.display import continued, json_safe, one_line, printable
from ragcli.prices import as_of

if TYPE_CHECKING:
    from ragcli.pipelines.asking.prompt import PromptPlan
    from ragcli.records import Passage


def text(plan: PromptPlan) -> str:
    """The plan in words, the request as JSON."""
    if plan.request is None:
        lines = ["nothing is sent: the extractive answerer reads these passages on this machine"]
        lines += [_shown(passage) for passage in plan.passages]
        return "\n".join(lines)
    dollars = plan.dollars_at_most
    price = (
        "no list price known"
        if dollars is None
        else f"at most ${dollars:.4f} by the list prices of {as_of(plan.model or '')}"
    )
    about = f"about {plan.input_tokens} tokens to {plan.model}, {price}"
    return f"{printable(about)}\n{json_safe(json.dumps(plan.request, ensure_ascii=False, indent=2))}"


def _shown(passage: Passage) -> str:
    """A passage, its text set in: only what stands at the edge is ours."""
    return f"[{passage.number}] {one_line(passage.chunk.chunk_id)}\n    {continued(printable(passage.text), '    ')}"
