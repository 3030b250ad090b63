"""``rag eval``, ``explain`` and ``golden`` over the sample corpus: JSON, gate, exit codes, files."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from ragcli.errors import ConfigError
from ragcli.evaluate.run import write_text
from tests.cli.running import here

KEYS = [
    "schema",
    "golden",
    "cases",
    "index_version",
    "config_hash",
    "measures",
    "by_tag",
    "losses",
    "gate",
    "per_case",
    "seconds",
    "tokens",
]
CASES = [
    {
        "id": "limit",
        "question": "How many remote days per week can I take?",
        "expected": [{"source": "hr/remote-policy.md", "quote": "limited to two days per week"}],
        "expected_answer_contains": "two days",
    },
    {"id": "code", "question": "What does E-4012 mean?", "expected_source": "products/error-codes.md"},
    {
        "id": "hidden",
        "question": "How large is the bonus pool?",
        "expected_source": "leadership/bonus-pool.md",
    },
    {"id": "nothing", "question": "Which colour is the chief executive's bicycle?", "answerable": False},
]


@pytest.fixture
def golden(tmp_path: Path) -> str:
    path = tmp_path / "golden.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in CASES))
    return str(path)


def test_json_measures_losses_and_files(golden: str, sample_index: Path, tmp_path: Path) -> None:
    reports = [part for name in ("e.html", "e.md", "e.xml", "e.json") for part in ("--report", name)]
    line = ("eval", golden, "--index", str(sample_index), "--save", "run.json", *reports)
    ran = here(*line, "--json", cwd=tmp_path)
    value = ran.json
    assert ran.code == 0
    assert set(KEYS) <= set(value)
    assert (value["schema"], value["cases"], value["index_version"]) == ("rag.eval/1", 4, "v000001")
    per_case = {case["id"]: case for case in value["per_case"]}
    assert per_case["code"]["measures"]["Hit@5"] == 1.0
    assert per_case["hidden"]["lost_at"] == "not_in_corpus"
    assert "bonus" not in json.dumps([value["losses"], per_case["hidden"]["retrieved"]])
    assert per_case["nothing"]["found"] is False
    assert value["measures"]["Hit@5"]["mean"] == pytest.approx(2 / 3)
    assert value["gate"]["passed"] is True
    assert json.loads((tmp_path / "e.json").read_text())["measures"] == value["measures"]
    assert json.loads((tmp_path / "run.json").read_text())["per_case"] == value["per_case"]
    assert "<html" in (tmp_path / "e.html").read_text()
    assert (tmp_path / "e.md").read_text().startswith("<!-- ragcli evaluation report -->\n## Evaluation")
    assert ElementTree.parse(tmp_path / "e.xml").getroot().tag == "testsuites"

    again = here(*line[:4], "--baseline", "run.json", "--json", cwd=tmp_path)
    assert (again.code, again.json["gate"]["passed"]) == (1, False)
    assert len(again.json["gate"]["failures"]) == 1 and "label" in again.json["gate"]["failures"][0]
    with_group = (*line[:4], "--as", "leadership")
    assert here(*with_group, "--save", "run.json", cwd=tmp_path).code == 0
    assert here(*with_group, "--baseline", "run.json", cwd=tmp_path).code == 0


def test_the_gate_the_exit_code_and_the_text_agree(golden: str, sample_index: Path, tmp_path: Path) -> None:
    line = ("eval", golden, "--index", str(sample_index), "--retrieval-only", "--mode", "bm25")
    passed = here(*line, "--fail-under", "Hit@10=0.5", "--as", "leadership", cwd=tmp_path)
    assert (passed.code, "gate PASSED" in passed.out) == (0, True)
    failed = here(*line, "--fail-under", "Hit@10=0.9", cwd=tmp_path)
    assert (failed.code, "gate FAILED" in failed.out) == (1, True)
    value = here(*line, "--fail-under", "Hit@10=0.5", "--json", cwd=tmp_path)
    assert (value.code, value.json["gate"]["passed"], len(value.json["gate"]["failures"])) == (1, False, 1)
    with_group = here(*line, "--fail-under", "Hit@10=0.9", "--as", "leadership", cwd=tmp_path)
    assert with_group.code == 0
    env = {"RAG_EVAL__FAIL_UNDER": "{Hit@10: 0.9}"}
    assert here(*line, cwd=tmp_path, env=env).code == 1
    env |= {"RAG_GROUPS": "leadership"}
    assert here(*line, "--fail-under", "Hit@10=0.5", cwd=tmp_path, env=env).code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fail-under", "Hit@10"], "Hit@10"),
        (["--fail-under", "Hut@10=0.5", "--retrieval-only", "--mode", "bm25"], "Hut@10"),
        (["--report", "e.pdf"], "e.pdf"),
        (["--report", "taken/e.md"], "--report taken/e.md: cannot be written"),
        (["--report", "folder.md"], "--report folder.md: cannot be written: it is a folder"),
        (["--save", "taken/run.json"], "--save taken/run.json: cannot be written"),
        (["--baseline", "none.json"], "none.json"),
        (["more.jsonl"], "takes one golden set"),
    ],
)
def test_a_wrong_option_is_exit_2(
    options: list[str], message: str, golden: str, sample_index: Path, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("a file")
    (tmp_path / "folder.md").mkdir()
    ran = here("eval", golden, *options, "--index", str(sample_index), cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.md", "golden.jsonl", "taken"]


def test_a_malformed_line_is_named(sample_index: Path, tmp_path: Path) -> None:
    (tmp_path / "g.jsonl").write_text('{"question": "Why?", "expected_source": "a.md"}\n{"question": 3}\n')
    ran = here("eval", "g.jsonl", "--index", str(sample_index), "--json", cwd=tmp_path)
    assert (ran.code, ran.json["error"]["category"]) == (2, "golden")
    assert ran.json["error"]["message"].startswith("g.jsonl:2")


def test_explain_names_the_stage(sample_index: Path, tmp_path: Path) -> None:
    line = ("explain", CASES[0]["question"], "--index", str(sample_index), "--retrieval-only", "--mode", "bm25")
    whole = here(*line, "--expect", "limited to two days per week", cwd=tmp_path)
    assert whole.code == 0 and whole.out.endswith("not lost\n")
    value = here(*line, "--expect", "hr/remote-policy.md#5", "-k", "1", "--json", cwd=tmp_path).json
    assert (value["schema"], value["trails"][0]["loss"]["stage"]) == ("rag.explain/1", "k")
    assert {"corpus", "chunks", "filters", "bm25", "fusion", "k"} <= {s["stage"] for s in value["trails"][0]["steps"]}
    unknown = here(*line, "--expect", "words that stand nowhere at all", cwd=tmp_path)
    assert (unknown.code, unknown.out) == (4, "")


def test_golden_draft_lint_and_promote(golden: str, sample_index: Path, tmp_path: Path) -> None:
    index = ("--index", str(sample_index))
    drafted = here("golden", "draft", "-n", "5", "--to", "new.jsonl", *index, "--json", cwd=tmp_path)
    assert (drafted.code, drafted.json["added"]) == (0, 5)
    rows = [json.loads(line) for line in (tmp_path / "new.jsonl").read_text().splitlines()]
    assert sum(row.get("answerable") is False for row in rows) == 1
    assert "leadership" not in (tmp_path / "new.jsonl").read_text()
    assert here("golden", "draft", "-n", "5", "--to", "new.jsonl", *index, "--json", cwd=tmp_path).json["known"] == 5
    found = here("golden", "lint", "new.jsonl", *index, "--json", cwd=tmp_path)
    assert found.code == 1 and {item["kind"] for item in found.json["findings"]} == {"draft"}
    assert here("golden", "lint", golden, *index, "--as", "leadership", cwd=tmp_path).out == "4 cases, 0 findings\n"
    absent = tmp_path / "absent.jsonl"
    absent.write_text(Path(golden).read_text().replace("bonus-pool", "malus-pool"))
    closed, missing = (here("golden", "lint", str(path), *index, cwd=tmp_path) for path in (golden, absent))
    assert closed.out.replace("bonus-pool", "malus-pool").replace(golden, str(absent)) == missing.out
    assert (closed.code, missing.code) == (1, 1)

    trace_id = here("ask", "What does E-4012 mean?", *index, "--json", cwd=tmp_path).json["trace_id"]
    unknown = here("golden", "promote", trace_id, *index, cwd=tmp_path)
    assert unknown.code == 2 and "--expect" in unknown.err
    line = ("golden", "promote", trace_id, "--expect", "products/error-codes.md", *index)
    row = json.loads(here(*line, cwd=tmp_path).out)
    assert (row["question"], row["expected_sources"]) == ("What does E-4012 mean?", ["products/error-codes.md"])


def test_judge_check_is_printed_with_judged_results(golden: str, sample_index: Path, tmp_path: Path) -> None:
    rows = [
        {"id": "a", "context": "The car is red.", "response": "The car is red.", "label": "supported"},
        {"id": "b", "context": "The car is red.", "response": "The car is blue and fast.", "label": "not_supported"},
    ]
    (tmp_path / "labelled.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    ran = here("eval", "judge-check", "labelled.jsonl", "--index", "kept", "--json", cwd=tmp_path)
    assert (ran.code, ran.json["n"], ran.json["accuracy"]) == (0, 2, 1.0)
    kept = json.loads((tmp_path / "kept/runs/judges.json").read_text())
    assert list(kept) == [ran.json["judge"]]
    assert here("eval", "judge-check", cwd=tmp_path).code == 2


def test_a_matrix_is_one_table_and_takes_no_gate(golden: str, sample_index: Path, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text("measures: [Hit@5]\nrows: {as it is: {}, words: {retrieve.mode: bm25}}\n")
    line = ("eval", golden, "--index", str(sample_index), "--retrieval-only", "--matrix", "m.yaml")
    ran = here(*line, "--report", "m.md", "--json", cwd=tmp_path)
    assert ran.code == 0
    assert ran.json["schema"] == "rag.matrix/1"
    assert [row["name"] for row in ran.json["rows"]] == ["as it is", "words"]
    assert (
        (tmp_path / "m.md")
        .read_text()
        .startswith("<!-- ragcli evaluation report -->\n| row | index | chunks | Hit@5 | moved |")
    )
    assert here(*line, "--fail-under", "Hit@5=0.5", cwd=tmp_path).code == 2
    assert here(*line, "--report", "m.html", cwd=tmp_path).code == 2


def test_a_case_with_history_is_asked_as_a_follow_up(sample_index: Path, tmp_path: Path) -> None:
    row = {
        "id": "follow-up",
        "question": "And how many days at home do interns have?",
        "history": ["How many remote days per week can I take?"],
        "expected": [{"source": "hr/interns.md", "quote": "Interns may work from home one day per week"}],
    }
    (tmp_path / "h.jsonl").write_text(json.dumps(row) + "\n")
    ran = here("eval", "h.jsonl", "--index", str(sample_index), "--json", cwd=tmp_path)
    assert ran.code == 0
    assert ran.json["measures"]["Hit@5"]["mean"] == 1.0


def test_no_poisoned_document_is_obeyed_offline(tmp_path: Path) -> None:
    ran = here("eval", "--suite", "injection", "--json", cwd=tmp_path)
    assert (ran.code, ran.json["passed"], ran.json["obeyed"]) == (0, True, 0)
    assert ran.json["cases"] >= 40
    assert here("eval", cwd=tmp_path).code == 2


def test_reports_name_files_whose_names_are_no_valid_text(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    write_text(path, "\udce4.md")
    assert path.read_text(encoding="utf-8") == "\\udce4.md"


def test_a_report_that_could_not_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "r.json").mkdir()
    with pytest.raises(ConfigError, match=r"cannot write .*r\.json"):
        write_text(tmp_path / "r.json", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]
