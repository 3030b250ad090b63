"""What an answer cost, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragcli.records import Usage


def text(model: str, usage: Usage) -> str:
    """Tokens and, by the list prices, dollars; empty where no model was asked."""
    from ragcli.prices import as_of, cost

    read, written = usage.cache_read_tokens, usage.cache_write_tokens
    sent = usage.input_tokens + read + written
    if not sent and not usage.output_tokens:
        return ""
    cached = "; ".join(
        part for part in (f"{read:,} from the cache" if read else "", f"{written:,} into it" if written else "") if part
    )
    dollars = cost(model, usage)
    price = "no list price known" if dollars is None else f"${dollars:.4f} by the list prices of {as_of(model)}"
    return f"{sent:,} tokens sent{f' ({cached})' if cached else ''}, {usage.output_tokens:,} received; {price}"
