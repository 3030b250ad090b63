"""What contextual chunking would send, before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragcli.chunk.context import CONTEXT_TOKENS
from ragcli.interfaces import Tokenizer
from ragcli.prices import cost
from ragcli.records import ModelRequest, Usage


@dataclass(frozen=True, slots=True)
class ContextPlan:
    """Calls and tokens of the requests that no cache answers; tokens are estimates by the embedding tokenizer.

    A shared text is written to the model's prompt cache by its first request and read by the others. Output is the
    most that is kept of the replies.
    """

    model: str
    calls: int
    cached_replies: int
    usage: Usage

    @property
    def dollars(self) -> float | None:
        """The cost by the list price; None when the model has none."""
        return cost(self.model, self.usage)


def plan(model: str, requests: Iterable[tuple[ModelRequest, bool]], tokenizer: Tokenizer) -> ContextPlan:
    """The plan for requests in the order they would be sent, each with whether a reply to it is already cached."""
    calls = replies = fresh = written = read = 0
    before: str | None = None
    size = 0
    for request, known in requests:
        if known:
            replies += 1
            continue
        calls += 1
        fresh += tokenizer.count(request.prompt)
        if request.shared != before:
            before, size = request.shared, tokenizer.count(request.shared)
            written += size
        else:
            read += size
    return ContextPlan(model, calls, replies, Usage(fresh, calls * CONTEXT_TOKENS, read, written))
