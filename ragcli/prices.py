"""What a model's tokens cost, for estimates: list prices by model name, and none that is guessed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ragcli.records import Usage

BATCH = 0.5


class _Price(NamedTuple):
    """Dollars per million tokens: of input, of output, and of input that is read from or written to the cache."""

    input: float
    output: float
    cache_read: float
    cache_write: float


def _anthropic(of_input: float, of_output: float) -> _Price:
    return _Price(of_input, of_output, 0.1 * of_input, 1.25 * of_input)


def _openai(of_input: float, cached: float, of_output: float) -> _Price:
    return _Price(of_input, of_output, cached, of_input)


# The longest prefix that matches a model's name applies.
_ANTHROPIC = {
    "claude-fable-5": _anthropic(10.0, 50.0),
    "claude-opus-5-5": _anthropic(4.0, 20.0),
    "claude-opus-5": _anthropic(5.0, 25.0),
    "claude-opus-4": _anthropic(15.0, 75.0),
    "claude-opus-4-5": _anthropic(5.0, 25.0),
    "claude-opus-4-6": _anthropic(5.0, 25.0),
    "claude-opus-4-7": _anthropic(5.0, 25.0),
    "claude-opus-4-8": _anthropic(5.0, 25.0),
    "claude-sonnet-5": _anthropic(2.0, 10.0),
    "claude-sonnet-4": _anthropic(3.0, 15.0),
    "claude-haiku-4-5": _anthropic(1.0, 5.0),
    "claude-3-5-haiku": _anthropic(0.8, 4.0),
}
# The name itself or with a date: what else is added to one names a model of another price.
_OPENAI = {
    "gpt-5.5": _openai(5.0, 0.5, 30.0),
    "gpt-5.4": _openai(2.5, 0.25, 15.0),
    "gpt-5.4-mini": _openai(0.75, 0.075, 4.5),
    "gpt-5.4-nano": _openai(0.2, 0.02, 1.25),
}
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}\Z")


def as_of(model: str) -> str:
    """When the price of a model stood on its provider's list; the bill is what counts."""
    return "2026-10" if model.startswith("claude-") else "2026-06"


def cost(model: str, usage: Usage, *, batch: bool = False) -> float | None:
    """Dollars for the tokens by the list price, cached ones at their own rates; None for a model without a price."""
    price = _price(model)
    if price is None:
        return None
    dollars = (
        price.input * usage.input_tokens
        + price.cache_write * usage.cache_write_tokens
        + price.cache_read * usage.cache_read_tokens
        + price.output * usage.output_tokens
    ) / 1e6
    return dollars * BATCH if batch else dollars


def _price(model: str) -> _Price | None:
    known = [prefix for prefix in _ANTHROPIC if model == prefix or model.startswith(f"{prefix}-")]
    return _ANTHROPIC[max(known, key=len)] if known else _OPENAI.get(_DATED.sub("", model))
