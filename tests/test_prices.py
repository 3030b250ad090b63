"""Cost estimates, worked out by hand from the price list."""

from __future__ import annotations

import pytest

from ragcli.prices import cost
from ragcli.records import Usage

MILLION = 1_000_000


@pytest.mark.parametrize(
    ("model", "dollars"),
    [("claude-sonnet-4-5", 18.0), ("claude-sonnet-4-5-20250929", 18.0), ("claude-opus-4-1", 90.0),
     ("claude-opus-4-5-20251101", 30.0), ("claude-haiku-4-5", 6.0)],
)  # fmt: skip
def test_a_million_tokens_each_way(model: str, dollars: float) -> None:
    assert cost(model, Usage(MILLION, MILLION)) == pytest.approx(dollars)


def test_cached_tokens_have_their_own_rates_and_a_batch_halves_everything() -> None:
    usage = Usage(input_tokens=0, output_tokens=0, cache_read_tokens=MILLION, cache_write_tokens=MILLION)
    assert cost("claude-sonnet-4-5", usage) == pytest.approx(3 * 1.35)
    assert cost("claude-sonnet-4-5", usage, batch=True) == pytest.approx(3 * 1.35 / 2)


@pytest.mark.parametrize(
    ("model", "dollars"), [("gpt-5.4", 2.5 + 15 + 0.25), ("gpt-5.4-mini-2026-03-17", 0.75 + 4.5 + 0.075)]
)
def test_chat_completions_have_a_rate_for_cached_tokens_of_their_own(model: str, dollars: float) -> None:
    assert cost(model, Usage(MILLION, MILLION, cache_read_tokens=MILLION)) == pytest.approx(dollars)


def test_no_price_is_guessed() -> None:
    assert cost("gpt-5.4-pro", Usage(10, 10)) is None
    assert cost("gpt-5.4-mini-high", Usage(10, 10)) is None
    assert cost("llama-3", Usage(10, 10)) is None
    assert cost("claude-sonnet-45", Usage(10, 10)) is None
