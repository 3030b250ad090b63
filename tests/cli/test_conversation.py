"""``rag ask --session``, ``rag session`` and ``rag tune`` over the sample corpus."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ragcli.config import load
from tests.cli.running import REPOSITORY, here

FIRST = "How many remote days can employees take?"


@pytest.fixture
def folder(sample_index: Path, tmp_path: Path) -> Path:
    shutil.copytree(sample_index, tmp_path / ".rag")
    return tmp_path


def test_a_follow_up_is_asked_as_a_question_of_its_own(folder: Path) -> None:
    first = here("ask", FIRST, "--session", "days", "--json", cwd=folder)
    assert first.json["standalone_question"] == FIRST
    ran = here("ask", "and for interns?", "--session", "days", cwd=folder)
    assert "asked as: How many remote days can employees take for interns?\n" in ran.err
    alone = here("ask", "and for interns?", "--json", cwd=folder)
    assert alone.json["standalone_question"] == "and for interns?"
    assert here("session", cwd=folder).out.splitlines()[1].split()[:2] == ["days", "2"]
    shown = here("session", "show", "days", "--json", cwd=folder).json
    assert [turn["question"] for turn in shown["turns"]] == [FIRST, "and for interns?"]
    assert here("session", "drop", "days", cwd=folder).out == "days dropped\n"
    assert here("session", cwd=folder).out == "no sessions\n"
    assert here("session", "show", "days", cwd=folder).code == 4
    assert here("session", "drop", "days", cwd=folder).code == 4
    assert here("ask", "Why?", "--session", "../days", cwd=folder).code == 2


def test_nobody_sees_the_turns_of_another_group(folder: Path) -> None:
    question = "How large is the bonus pool?"
    assert here("ask", question, "--as", "leadership", "--session", "s", cwd=folder).code == 0
    assert here("session", cwd=folder).out == "no sessions\n"
    assert here("session", "show", "s", cwd=folder).code == 4
    assert question in here("session", "show", "s", "--as", "leadership", cwd=folder).out
    later = here("ask", "and next year?", "--session", "s", "--json", cwd=folder).json
    assert later["standalone_question"] == "and next year?"


def test_several_searches_offline(folder: Path) -> None:
    question = "How many days of leave are there, and what does E-4012 mean?"
    value = here("ask", question, "--agentic", "--json", cwd=folder).json
    assert len(value["steps"]) == 2
    assert {"hr/annual-leave.md", "products/error-codes.md"} & {item["source"] for item in value["citations"]}
    assert here("ask", question, "--agentic", "--direct", cwd=folder).code == 2
    refused = here("ask", question, "--direct", cwd=folder)
    assert refused.code == 2 and "--provider anthropic" in refused.err


def test_dry_run_shows_what_would_be_sent_and_sends_nothing(folder: Path) -> None:
    line = ("ask", "What does E-4012 mean?", "-k", "1", "--dry-run", "--json")
    offline = here(*line, cwd=folder).json
    assert (offline["provider"], offline["request"], offline["dollars_at_most"]) == ("extractive", None, 0.0)
    planned = here(*line, "--provider", "anthropic", cwd=folder).json
    assert planned["request"]["model"] == planned["model"]
    assert "E-4012 means that the zero point has drifted" in json.dumps(planned["request"])
    assert planned["input_tokens"] > 100
    without_key = here("ask", "What does E-4012 mean?", "--provider", "anthropic", "--json", cwd=folder)
    assert (without_key.code, without_key.json["error"]["category"]) == (5, "no_key")


def test_tune_writes_the_threshold_into_the_settings(folder: Path) -> None:
    rows = [json.loads(line) for line in (REPOSITORY / "sample_corpus/golden.jsonl").open()]
    yes = [row for row in rows if row.get("answerable", True)][:6]
    no = [row for row in rows if not row.get("answerable", True)][:6]
    (folder / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in yes + no))
    (folder / "rag.yaml").write_text("retrieve:  # search\n  k: 5\n")
    ran = here("tune", "golden.jsonl", "--json", cwd=folder)
    assert ran.code == 0
    assert (ran.json["answerable"], ran.json["unanswerable"], ran.json["written"]) == (6, 6, None)
    assert (folder / "rag.yaml").read_text() == "retrieve:  # search\n  k: 5\n"
    written = here("tune", "golden.jsonl", "--write", "--json", cwd=folder).json
    assert load(environ={}, cwd=folder).answer.min_confidence == pytest.approx(written["threshold"], abs=1e-4)
    assert (folder / "rag.yaml").read_text().startswith("retrieve:  # search\n  k: 5\n")
    (folder / "few.jsonl").write_text("".join(json.dumps(row) + "\n" for row in yes))
    few = here("tune", "few.jsonl", cwd=folder)
    assert few.code == 2 and "unanswerable" in few.err


def test_what_was_closed_since_is_neither_shown_nor_gone_on_with_nor_dropped(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "pay.md").write_text("# Pay\n\nThe canary bonus is seventeen euros a month.\n")
    (notes / "cats.md").write_text("# Cats\n\nThe office cat is called Ferdinand.\n")
    env = {"RAG_RETRIEVE__MODE": "bm25"}

    def said(*line: str) -> str:
        ran = here(*line, cwd=tmp_path, env=env)
        return ran.out + ran.err

    assert here("ingest", "notes", cwd=tmp_path, env=env).code == 0
    for question, source in (
        ("How much is the canary bonus?", "pay.md"),
        ("What is the office cat called?", "cats.md"),
    ):
        line = ("ask", question, "--session", "talk", "--filter", f"source={source}", "--json")
        assert here(*line, cwd=tmp_path, env=env).json["found"], question
    trace_id = here("log", "--json", cwd=tmp_path, env=env).json["traces"][0]["trace_id"]
    (notes / "pay.md").write_text("---\nacl: [hr]\n---\n# Pay\n\nThe canary bonus is seventeen euros a month.\n")
    assert here("ingest", "notes", cwd=tmp_path, env=env).code == 0
    for line in (("log",), ("stats",), ("session", "show", "talk"), ("session", "list"), ("log", "--json")):
        assert "canary" not in said(*line) and "pay.md" not in said(*line)
    assert here("stats", "--json", cwd=tmp_path, env=env).json["questions"] == 1
    for line in (("log", trace_id), ("feedback", trace_id, "good"), ("golden", "promote", trace_id)):
        ran = here(*line, cwd=tmp_path, env=env)
        assert ran.code == 4 and ran.err.startswith("error: no trace has the id")
    assert said("session", "drop", "talk") == "talk dropped\n"
    assert "canary" in said("session", "show", "talk", "--as", "hr")
    assert "Ferdinand" not in said("session", "show", "talk", "--as", "hr")
    assert here("session", "drop", "talk", cwd=tmp_path, env=env).code == 4
    assert "canary" in said("log", "--as", "hr")
