from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from ragcli.errors import ConfigError
from ragcli.evaluate.matrix import MatrixResult, MatrixRow, MatrixSpec, columns, compared, read_matrix, table, to_json
from ragcli.evaluate.measuring.bootstrap import Bootstrap
from ragcli.evaluate.run import EvalRun
from tests.evaluate.runs import example, run_of


def test_rows_and_every_combination_of_the_axes() -> None:
    spec = read_matrix(
        {
            "measures": "R@5",
            "rows": {"plain": None, "words": {"retrieve": {"mode": "bm25"}, "rerank.method": "none"}},
            "axes": {"retrieve.k": [3, 5], "chunk.max_tokens": [100, 200]},
        },
        "m.yaml",
    )
    assert [row.name for row in spec.rows] == [
        "plain",
        "words",
        "retrieve.k=3, chunk.max_tokens=100",
        "retrieve.k=3, chunk.max_tokens=200",
        "retrieve.k=5, chunk.max_tokens=100",
        "retrieve.k=5, chunk.max_tokens=200",
    ]
    assert spec.rows[1].settings == {"retrieve.mode": "bm25", "rerank.method": "none"}
    assert spec.rows[5].settings == {"retrieve.k": 5, "chunk.max_tokens": 200}
    assert spec.measures == ("R@5",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "no row"),
        ({"row": {}}, "unknown key 'row'"),
        ({"rows": []}, "no row"),
        ({"rows": [1]}, "rows is"),
        ({"rows": {"a": 3}}, "row 'a' is 3"),
        ({"rows": {"a": {"k": 3}}}, "'k' is no setting"),
        ({"rows": {"a": {"ingest.ocr": "off"}}}, "changes nothing here"),
        ({"axes": {"retrieve.k": 3}}, "expected a list of values"),
        ({"axes": {"retrieve.k": list(range(1, 202))}}, "201 rows"),
        ({"axes": {"retrieve.k": [3, 3]}}, "same name"),
        ({"rows": {"a": {}}, "measures": 3}, "measures is 3"),
    ],
)
def test_a_malformed_matrix_is_refused(content: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_matrix(content, "m.yaml")


def result(name: str, run: EvalRun, seconds: float = 0.0) -> MatrixResult:
    return MatrixResult(MatrixRow(name, {}), run, "at hand", seconds, 7)


def changed(share: int, value: float) -> EvalRun:
    """The example with R@5 of the first cases set to a value."""
    rows = [
        dataclasses.replace(case, measures={**case.measures, "R@5": value}) if place < share else case
        for place, case in enumerate(example().per_case)
    ]
    return run_of(rows, answers=True)


def test_a_row_says_what_it_moved_against_the_first() -> None:
    first, same, worse = compared(
        [result("a", example()), result("b", example()), result("c", changed(11, 0.0), 2.0)], Bootstrap()
    )
    assert (first.changes, same.moved, worse.moved) == ((), (), ("-R@5",))
    back = compared([result("c", changed(11, 0.0)), result("a", example())], Bootstrap())[1]
    assert back.moved == ("+R@5",)


def test_a_rise_of_what_should_be_low_is_worse() -> None:
    rows = [dataclasses.replace(case, measures={**case.measures, "false_declines": 1.0}) for case in example().per_case]
    worse = compared([result("a", example()), result("b", run_of(rows, answers=True))], Bootstrap())[1]
    assert worse.moved == ("-false_declines",)


def test_the_table_and_the_json() -> None:
    results = compared([result("a", example()), result("c", changed(11, 0.0), 2.0)], Bootstrap())
    assert columns(results, MatrixSpec(())) == [
        "nDCG@10",
        "R@5",
        "RR@10",
        "contains",
        "support_rate",
        "citation_precision",
        "abstention_precision",
        "abstention_recall",
        "false_declines",
    ]
    with pytest.raises(ConfigError, match="'R@6' is not measured"):
        columns(results, MatrixSpec((), ("R@6",)))
    head, rows = table(results, ["R@5"])
    assert head == ["row", "index", "chunks", "R@5", "moved", "ms a question", "seconds to build", "tokens"]
    assert rows[0][:3] == ["a", "at hand", "7"]
    assert rows[0][3].startswith("0.8182 ± ")
    assert rows[1][3:] == ["0.0000 ± 0.0000", "-R@5", "5.0", "2.0", "0"]
    content = to_json(results)
    assert content["schema"] == "rag.matrix/1"
    assert [row["moved"] for row in content["rows"]] == [[], ["-R@5"]]
