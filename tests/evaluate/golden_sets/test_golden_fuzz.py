"""Whatever a line of a golden file holds, it is a case or a GoldenError that names the line; never anything else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.errors import GoldenError
from ragcli.evaluate.golden_sets.file import KEYS, parse_golden
from ragcli.evaluate.golden_sets.resolving import Resolver
from tests.evaluate.builders import named

TEXT = st.one_of(
    st.text(max_size=6), st.sampled_from(["a.md", "a.md#1", "a.md#page=0", "#", "a#page=x", "q", "=", "/a"])
)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats(allow_nan=False) | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["source", "quote", "page", "relevance", "doc", "page_0based", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
ROW = st.dictionaries(st.sampled_from([*KEYS, "other", "expcted"]), VALUE, max_size=6)


@settings(max_examples=200)
@given(row=ROW, question=st.one_of(st.just("q"), VALUE))
def test_any_row_is_a_case_or_a_named_error(row: dict[str, Any], question: object) -> None:
    line = json.dumps({**row, "question": question})
    try:
        (case,) = parse_golden(line, name="g").cases
    except GoldenError as error:
        assert error.message.startswith("g:1: ")
        return
    assert case.question.strip()
    try:
        judged = Resolver(named("a.md", "b/q")).judge(case)
    except GoldenError as error:
        assert error.message.startswith("g:1: ")
        return
    ranking = judged.items(["a.md#1", "b/q#1", "a.md#2"])
    assert len(set(ranking)) == len(ranking)


@given(line=st.text(max_size=30))
def test_any_text_is_read_or_refused(line: str) -> None:
    with pytest.raises(GoldenError):
        parse_golden(line, name="g")
