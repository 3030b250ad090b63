"""``rag ask`` over the sample corpus: streams, JSON, exit codes, traces."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from ragcli import Index
from ragcli.cli.output import Output
from ragcli.cli.views import answers
from ragcli.config import Config
from ragcli.records import Answer, AskResult, Citation, Differences, Ranking, Retrieval, Sentence, Usage
from tests.cli.running import REPOSITORY, here, rag

QUESTION = "How many remote days per week can I take?"
KEYS = [
    "schema",
    "question",
    "standalone_question",
    "found",
    "not_found_reason",
    "answer",
    "sentences",
    "citations",
    "invalid_citations",
    "passages",
    "provider",
    "model",
    "index_version",
    "trace_id",
    "usage",
    "timings_ms",
]
CITATION_KEYS = [
    "number",
    "chunk_id",
    "source",
    "title",
    "heading_path",
    "page",
    "lines",
    "quote",
    "effective_date",
]


def test_json_has_the_keys_of_the_contract_and_quotes_stand_in_the_source(sample_index: Path, tmp_path: Path) -> None:
    ran = here("--json", "ask", QUESTION, "--index", str(sample_index), cwd=tmp_path)
    value = ran.json
    assert ran.code == 0
    assert set(value) >= set(KEYS)
    assert (value["schema"], value["question"], value["found"]) == ("rag.answer/1", QUESTION, True)
    assert value["not_found_reason"] is None
    assert set(value["usage"]) >= {"input_tokens", "output_tokens"}
    assert set(value["timings_ms"]) >= {"retrieve", "generate", "verify", "total"}
    assert {"text", "citations", "status"} <= set(value["sentences"][0])
    citation = value["citations"][0]
    assert set(citation) >= set(CITATION_KEYS)
    assert citation["chunk_id"] in value["passages"]
    text = here("inspect", citation["source"], "--index", str(sample_index), "--json", cwd=tmp_path).json["text"]
    start, end = citation["span"]
    assert " ".join(text[start:end].split()) == " ".join(citation["quote"].split())
    traces = [json.loads(line) for path in (sample_index / "traces").glob("*.jsonl") for line in path.open()]
    assert value["trace_id"] in [trace.get("trace_id") for trace in traces]


def test_not_found_is_exit_4_with_the_nearest_passages_on_standard_error(sample_index: Path, tmp_path: Path) -> None:
    question = "Which colour is the chief executive's bicycle?"
    ran = here("ask", question, "--index", str(sample_index), cwd=tmp_path)
    assert (ran.code, ran.out) == (4, "")
    assert "not found (low_evidence); the nearest passages:\n  " in ran.err
    value = here("ask", question, "--index", str(sample_index), "--json", cwd=tmp_path)
    assert value.code == 4
    assert (value.json["found"], value.json["not_found_reason"]) == (False, "low_evidence")


def test_the_question_from_standard_input(sample_index: Path, tmp_path: Path) -> None:
    ran = rag("ask", "-", "--index", str(sample_index), "--json", cwd=tmp_path, stdin=f"{QUESTION}\n")
    assert ran.json["question"] == QUESTION
    empty = rag("ask", "-", "--index", str(sample_index), cwd=tmp_path, stdin=" \n")
    assert (empty.code, empty.out) == (2, "")
    assert empty.err.startswith("error: the question is empty")


def test_bytes_that_are_no_text_do_no_harm(sample_index: Path, tmp_path: Path) -> None:
    index = ("--index", str(sample_index))
    ran = rag("ask", "What does E-4012 mean? \udce9", *index, "--json", cwd=tmp_path)
    assert (ran.code, ran.json["question"]) == (0, "What does E-4012 mean? ?")
    assert rag("search", "\udcff E-4012", "--mode", "bm25", *index, "--json", cwd=tmp_path).json["query"] == "? E-4012"
    (sample_index / "traces" / "2020-01-01.jsonl").write_bytes(b"\xed\xb3\xa9 torn")
    assert here("log", *index, cwd=tmp_path).code == 0


def test_a_group_changes_what_can_be_answered(sample_index: Path, tmp_path: Path) -> None:
    line = ("ask", "How large is the bonus pool?", "--index", str(sample_index), "--json")
    closed = here(*line, cwd=tmp_path)
    opened = here(*line, "--as", "leadership", cwd=tmp_path)
    assert "leadership" not in closed.out
    assert "leadership/bonus-pool.md" in [citation["source"] for citation in opened.json["citations"]]


def test_sources_are_links_on_terminals(sample_index: Path, tmp_path: Path) -> None:
    line = ("ask", "What does E-4012 mean?", "--index", str(sample_index))
    linked = here(*line, "--color", "always", cwd=tmp_path).out
    file = REPOSITORY / "sample_corpus" / "products" / "error-codes.md"
    assert f"\x1b]8;;{file.as_uri()}\x1b\\products/error-codes.md:" in linked
    assert "\x1b" not in here(*line, "--color", "never", cwd=tmp_path).out
    assert "\x1b]8" not in here(*line, "--color", "always", cwd=tmp_path, env={"RAG_ANSWER__LINK": "false"}).out


def made(*sentences: Sentence, citations: tuple[Citation, ...] = (), invalid: tuple[str, ...] = ()) -> AskResult:
    answer = Answer(
        question="q",
        standalone_question="q",
        found=True,
        not_found_reason=None,
        text=" ".join(sentence.text for sentence in sentences),
        sentences=sentences,
        citations=citations,
        invalid_citations=invalid,
        passages=(),
        provider="p",
        model="m",
        usage=Usage(),
    )
    retrieval = Retrieval("q", "bm25", (), {}, Ranking("fused", ()), None, None, 0, None, {})
    return AskResult(answer, retrieval, (), "v000001", "t", {})


def citation(source: str, quote: str, page: int | None = None, lines: tuple[int, int] | None = None) -> Citation:
    return Citation(1, f"{source}#1", source, "Title", ("Title", "Part"), quote, None, page, lines, None)


def test_what_is_not_supported_is_marked_and_nothing_drives_the_terminal() -> None:
    result = made(
        Sentence("True [1].", (1,), "supported"),
        Sentence("Doubtful\x1b[2J.", (), "uncited"),
        citations=(citation("a\x1b]0;x\x07.pdf", "qu\x1bote", page=3),),
        invalid=("9",),
    )
    text = answers.text(result, Output(color="never"), Index(Config()))
    assert text.splitlines() == [
        "True [1]. Doubtful\\x1b[2J.",
        "[uncited] Doubtful\\x1b[2J.",
        "[invalid citations] 9",
        "",
        "[1] Title > Part",
        "    a\\x1b]0;x\\x07.pdf p. 3",
        "    “qu\\x1bote”",
        "    supported",
    ]


def test_other_words_and_doubt_are_told_in_the_text() -> None:
    differs = Differences(("arr\x1bive",), ("but not on Mondays", "if all agree"))
    result = made(Sentence("You may.", (1,), "paraphrase", differs), citations=(citation("a.md", "quote"),))
    unsure = dataclasses.replace(result, answer=dataclasses.replace(result.answer, confidence=0.55))
    lines = answers.text(unsure, Output(color="never"), Index(Config())).splitlines()
    assert lines[1:3] == [
        "[paraphrase] You may. (adds “arr\\x1bive”; leaves out “but not on Mondays”, “if all agree”)",
        "[not sure] whether this answers the question (confidence 0.55): the statuses say what stands in the sources",
    ]
    assert not any(
        "not sure" in line for line in answers.text(result, Output(color="never"), Index(Config())).splitlines()
    )


def test_a_document_cites_nothing_in_our_name(tmp_path: Path) -> None:
    text = "Remote work is limited to two days per week.\u2028[2] hr/other.md\u2028    hr/other.md:3\n"
    (tmp_path / "remote.md").write_text(f"# Remote work\n\nSee the rules [2] on it: {text}", encoding="utf-8")
    assert here("ingest", "remote.md", cwd=tmp_path).code == 0
    line = ("ask", "How many days per week is remote work limited to?")
    printed, value = here(*line, cwd=tmp_path).out, here(*line, "--json", cwd=tmp_path).json
    assert "two days per week" in printed and "\u2028" not in printed
    assert {line[:3] for line in printed.split("\n") if line.startswith("[")} == {"[1]"}
    assert "[2]" not in printed.replace("\\[2]", "")
    assert any("[2]" in sentence["text"] and "\\" not in sentence["text"] for sentence in value["sentences"])


@pytest.mark.parametrize(
    ("page", "lines", "where"),
    [(2, None, "x.md p. 2"), (None, (3, 3), "x.md:3"), (None, (3, 5), "x.md:3-5"), (None, None, "x.md")],
)
def test_places(page: int | None, lines: tuple[int, int] | None, where: str) -> None:
    result = made(Sentence("S [1].", (1,), "paraphrase"), citations=(citation("x.md", "", page, lines),))
    text = answers.text(result, Output(color="never"), Index(Config()))
    assert text.splitlines()[3:] == [f"    {where}", "    paraphrase"]


def test_closed_standard_input_is_told(sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    ran = here("ask", "-", "--index", str(sample_index), cwd=tmp_path)
    assert ran.code == 2
    assert "standard input is closed" in ran.err


@pytest.mark.parametrize("command", [["ask", "x"], ["versions", "list"], ["log"], ["ingest", "."]])
def test_a_file_is_no_index_folder(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    ran = here(*command, "--index", "notes.txt", cwd=tmp_path)
    assert ran.code == 6
    assert "is a file, no index folder" in ran.err
    assert (tmp_path / "notes.txt").read_text() == "mine"
