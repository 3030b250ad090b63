from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragcli.embed.batches import by_length


def test_a_batch_holds_a_thousand_tokens_at_most_or_one_text() -> None:
    assert list(by_length([256] * 9, 32)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8]]
    assert list(by_length([2000, 1000, 24], 32)) == [[0], [1], [2]]
    assert [len(batch) for batch in by_length([32] * 70, 100)] == [32, 32, 6]


def test_longest_first_equal_lengths_in_order() -> None:
    assert list(by_length([3, 9, 3, 5, 9], 2)) == [[1, 4], [3, 0], [2]]
    assert list(by_length([3, 9], 5, first=10)) == [[11, 10]]
    assert list(by_length([], 4)) == []


def test_a_full_enough_batch_ends_before_a_much_shorter_text() -> None:
    assert list(by_length([100, 100, 100, 80, 79], 9)) == [[0, 1, 2, 3], [4]]
    assert list(by_length([100, 100, 79], 9)) == [[0, 1, 2]], "200 tokens are too few to stand alone"


@given(st.lists(st.integers(0, 300)), st.integers(1, 7))
def test_every_position_once_and_no_batch_too_large(lengths: list[int], size: int) -> None:
    batches = list(by_length(lengths, size))
    assert sorted(position for batch in batches for position in batch) == list(range(len(lengths)))
    assert all(1 <= len(batch) <= size for batch in batches)
