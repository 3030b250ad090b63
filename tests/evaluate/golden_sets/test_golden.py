from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragcli.errors import GoldenError
from ragcli.evaluate.golden_sets.file import GoldenSet, load_golden, parse_golden
from ragcli.records import GoldenCase, Judgment


def one(**row: object) -> GoldenCase:
    return parse_golden(json.dumps({"question": "q", **row}), name="g.jsonl").cases[0]


def refused(line: str | dict[str, object]) -> str:
    text = line if isinstance(line, str) else json.dumps({"question": "q", **line})
    with pytest.raises(GoldenError) as caught:
        parse_golden("\n" + text, name="g.jsonl")
    assert caught.value.message.startswith("g.jsonl:2: ")
    return caught.value.message


def test_every_form_of_the_documented_format() -> None:
    case = one(
        id="remote",
        expected_chunk="remote-policy#2",
        expected_sources=["hr/a.md", "hr/b.md#Limits", "c.pdf#page=4"],
        expected=[{"source": "d.md", "quote": "two days", "relevance": 2}, {"source": "e.pdf", "page": 3}],
        expected_answer="Two days.",
        expected_answer_contains=["two", ["day", "days"]],
        filters=["lang=en"],
        groups=["hr"],
        history=["before"],
        tags=["t"],
    )
    assert case.judgments == (
        Judgment("remote-policy", chunk=2),
        Judgment("hr/a.md"),
        Judgment("hr/b.md", heading="Limits"),
        Judgment("c.pdf", page=4),
        Judgment("d.md", quote="two days", relevance=2),
        Judgment("e.pdf", page=3),
    )
    assert case.answers == ("Two days.",)
    assert case.contains == (("two",), ("day", "days"))
    assert (case.filters, case.groups, case.history, case.tags) == (("lang=en",), ("hr",), ("before",), ("t",))
    assert case.answerable
    assert case.where == "g.jsonl:1"


def test_a_case_without_an_id_is_named_by_its_line() -> None:
    assert [case.case_id for case in parse_golden('\n{"question": "a"}\n{"question": "b"}', name="g").cases] == [
        "line-2",
        "line-3",
    ]


def test_cranfield_grades_rise_with_usefulness() -> None:
    case = one(expected_sources=["a", "b", "c"], grades={"a": 1, "b": 4})
    assert [judgment.relevance for judgment in case.judgments] == [4, 1, 1]


def test_pages_count_from_one_and_replace_the_bare_source() -> None:
    case = one(expected_sources=["a.pdf", "b.pdf"], pages=[{"doc": "a.pdf", "page_0based": 0}])
    assert case.judgments == (Judgment("b.pdf"), Judgment("a.pdf", page=1))


def test_evidence_is_looked_for_in_every_source() -> None:
    case = one(expected_sources=["a", "b"], evidence=["\ufeffIt is so. "])
    assert case.evidence == (Judgment("a", quote="It is so."), Judgment("b", quote="It is so."))


def test_evidence_by_sentence_number_is_named_as_unused() -> None:
    row = {"question": "q", "expected_sources": ["a"], "evidence": [{"doc": "a", "sentences": [4]}]}
    found = parse_golden(json.dumps(row), name="g")
    assert found.cases[0].evidence == ()
    assert found.notices == ("evidence without a text or a document: not used (1 cases)",)


def test_chunk_ids_of_another_tool_give_way_to_sources_but_not_to_nothing() -> None:
    case = one(expected_chunks=["https://example.org/a#b"], expected_sources=["a"])
    assert case.judgments == (Judgment("a"),)
    assert "not a chunk id" in refused({"expected_chunk": "https://example.org/a#b"})


def test_answer_all_and_aliases() -> None:
    case = one(answer_all=["x", ["y", "z"]], expected_answer="x / y", answer_aliases=["x y", ""])
    assert case.contains == (("x",), ("y", "z"))
    assert case.answers == ("x / y", "x y")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not valid JSON"),
        ("[1]", "expected an object"),
        ("{}", 'needs a "question"'),
        ('{"question": "  "}', 'needs a "question"'),
        ({"question": 3}, "question is 3"),
        ({"answerable": "no"}, "answerable is"),
        ({"expcted_source": "a"}, "did you mean 'expected_source'?"),
        ({"expected_answers": "a"}, "did you mean 'expected_answer'?"),
        ({"tag": ["a"]}, "did you mean 'tags'?"),
        ({"expected": [{"quote": "x"}]}, 'names no "source"'),
        ({"expected": [{"source": "a", "qoute": "x"}]}, "unknown key 'qoute'"),
        ({"expected": [{"source": "a", "quote": "x", "page": 1}]}, "takes one of"),
        ({"expected": [{"source": "a", "page": 0}]}, "page is 0"),
        ({"expected": [{"source": "a", "relevance": 0}]}, "relevance is 0"),
        ({"expected_source": "a#page=0"}, "pages count from 1"),
        ({"expected_sources": [1]}, "expected a text"),
        ({"expected_sources": 1}, "expected a list"),
        ({"filters": [1]}, "filters is [1]"),
        ({"expected_answer_contains": ["a", ""]}, "empty text"),
        ({"grades": {"a": 5}, "expected_source": "a"}, "grade 5"),
        ({"pages": [3]}, "page_0based"),
    ],
)
def test_malformed_lines_are_named_with_file_and_line(line: str | dict[str, object], message: str) -> None:
    assert message in refused(line)


def test_an_id_used_twice_names_both_lines() -> None:
    with pytest.raises(GoldenError, match=r"g:2: id 'a' was used on line 1"):
        parse_golden('{"id": "a", "question": "q"}\n{"id": "a", "question": "r"}', name="g")


def test_an_empty_and_a_missing_and_a_binary_file(tmp_path: Path) -> None:
    with pytest.raises(GoldenError, match="holds no case"):
        parse_golden("\n \n", name="g")
    with pytest.raises(GoldenError, match="does not exist"):
        load_golden(tmp_path / "none.jsonl")
    (tmp_path / "b.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GoldenError, match="cannot read"):
        load_golden(tmp_path / "b.jsonl")


def test_a_byte_order_mark_and_line_separators_inside_texts_are_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    path.write_bytes('\ufeff{"question": "a\u2028b"}\r\n{"question": "c"}\r\n'.encode())
    assert [case.question for case in load_golden(path).cases] == ["a\u2028b", "c"]


def test_keys_of_other_tools_are_counted_not_refused() -> None:
    found: GoldenSet = parse_golden('{"question": "a", "level": 3}\n{"question": "b", "level": 1}', name="g")
    assert found.notices == ("level: not used (2 cases)",)


def test_every_shared_golden_set_is_read_whole(shared_data: Path) -> None:
    files = sorted((shared_data / "golden").glob("*/golden*.jsonl"))
    assert len(files) >= 19
    for path in files:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
        cases = load_golden(path).cases
        assert len(cases) == len(rows)
        for row, case in zip(rows, cases, strict=True):
            assert {judgment.source for judgment in case.judgments} >= set(row["expected_sources"])
            assert case.answerable == row["answerable"]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('{"question": "Why?", "expected_source": "a.md", "expected_source": "b.md"}', "expected_source"),
        ('{"question": "Why?", "expected": [{"source": "a.md", "quote": "x", "quote": "y"}]}', "quote"),
    ],
)
def test_a_key_that_stands_twice_is_told(line: str, key: str) -> None:
    assert f"'{key}' stands twice in one object" in refused(line)
