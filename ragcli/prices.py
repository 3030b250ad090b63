"""What a model's tokens cost, for estimates: list prices by model name, and none that is guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragcli.records import Usage

AS_OF = "2026-10"
"""When the prices below stood on the provider's price list; the bill is what counts."""

CACHE_WRITE = 1.25
CACHE_READ = 0.1
BATCH = 0.5

# Dollars per million input and output tokens; the longest prefix that matches a model's name applies.
_PRICES = {
    "claude-fable-5": (10.0, 50.0),
    "claude-opus-5-5": (4.0, 20.0),
    "claude-opus-5": (5.0, 25.0),
    "claude-opus-4": (15.0, 75.0),
    "claude-opus-4-5": (5.0, 25.0),
    "claude-opus-4-6": (5.0, 25.0),
    "claude-opus-4-7": (5.0, 25.0),
    "claude-opus-4-8": (5.0, 25.0),
    "claude-sonnet-5": (2.0, 10.0),
    "claude-sonnet-4": (3.0, 15.0),
    "claude-haiku-4-5": (1.0, 5.0),
    "claude-3-5-haiku": (0.8, 4.0),
}


def cost(model: str, usage: Usage, *, batch: bool = False) -> float | None:
    """Dollars for the tokens by the list price, cached ones at their own rates; None for a model without a price."""
    known = [prefix for prefix in _PRICES if model == prefix or model.startswith(f"{prefix}-")]
    if not known:
        return None
    of_input, of_output = _PRICES[max(known, key=len)]
    weighted = usage.input_tokens + CACHE_WRITE * usage.cache_write_tokens + CACHE_READ * usage.cache_read_tokens
    dollars = (of_input * weighted + of_output * usage.output_tokens) / 1e6
    return dollars * BATCH if batch else dollars
