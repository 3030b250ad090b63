"""Sixteen readers beside a publisher see no wrong, partial or closed hit (``tests.attack store_readers``)."""

from __future__ import annotations

from ragcli.interfaces import Store
from tests.attack import store_readers


def test_every_reading_is_that_of_one_edition(store: Store) -> None:
    outcome = store_readers.over(store, 100, 1)
    assert not outcome.failures
    assert outcome.tries >= 100
