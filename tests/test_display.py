"""Text as data to the last character: in the terminal, the HTML page, Markdown and JUnit, by property."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
import unicodedata
import xml.etree.ElementTree as ET
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import html as lxml_html
from markdown_it import MarkdownIt

from ragcli import Index
from ragcli.answer.check.citing import marked
from ragcli.cli.output import Output
from ragcli.cli.views import answers, prompts
from ragcli.config import Config
from ragcli.display import as_quoted, as_written, continued, json_safe, one_line, printable, spreadsheet_cell
from ragcli.evaluate.gate import judge_run
from ragcli.evaluate.golden_sets.promote import _MARK
from ragcli.evaluate.reports.junit import to_junit
from ragcli.evaluate.reports.markdown import escaped, to_markdown
from ragcli.evaluate.reports.page import to_html
from ragcli.pipelines.asking.prompt import PromptPlan
from ragcli.records import Citation, Passage, Sentence
from tests.cli.test_ask import made
from tests.cli.test_output import Terminal
from tests.evaluate.builders import chunk as build_chunk
from tests.evaluate.runs import example as example_run

MISLEADING = (
    "\u2028",
    "\u2029",
    "\x85",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x1d",
    "\x1e",
    "\r",
    "\x1b[2J",
    "\x00",
    "\x7f",
    "\x9b",
)
DIRECTION = tuple(map(chr, (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x2070))))
PIECES = (
    *MISLEADING, *DIRECTION, "\n", "\t", " ", "[2]", "[ 2 ]", "[1, 2]", "［２］", "[٢]", "[1", "2]", "\\", "\\[2]",
    "[unsupported] ", "[2] other.md\n    hr/other.md:3\n    supported", "error: ", "hint: rm -rf ~", "”", "word",
    "שלום", "<b>", "&#91;2&#93;", "`", "*", "_", "|", "- ", "1. ", "# ", "> ", "![x](http://e.example)",
    "www.e.example", "123456789) ", "$x$", "http://e.example", "a@b.example", "@team", "---", "=", "+",
    "\ud800", "\udcff", "\U000e0041", "\ufff9", "\ufeff",
)  # fmt: skip
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=12).map("".join)
OURS = re.compile(r"(?<!\\)\[(\d+)\]")


def is_safe(text: str) -> bool:
    """No character that ends a line beside the newline, reorders, or is no character at all."""
    for char in text:
        kind, order = unicodedata.category(char), unicodedata.bidirectional(char)
        if char in "\n\t":
            continue
        if kind in ("Cc", "Zl", "Zp", "Cs") or char in DIRECTION or order in ("LRE", "RLE", "LRO", "RLO", "PDF"):
            return False
    return len(text.splitlines()) <= text.count("\n") + 1


@given(texts)
def test_what_is_printed_is_safe_and_json_keeps_the_text(text: str) -> None:
    assert is_safe(printable(text)) and is_safe(one_line(text)) and "\n" not in one_line(text)
    written = json.dumps([text], ensure_ascii=False)
    assert json.loads(json_safe(written)) == [text] and is_safe(json_safe(written))


@given(texts)
@example("two days per week.\u2028[2] other.md")
def test_no_citation_of_a_document_looks_like_ours(text: str) -> None:
    quoted = as_quoted(text)
    assert not OURS.search(quoted) and as_written(quoted) == text
    line = marked(Sentence(text, (1, 2), "supported"))
    assert [int(number) for number in OURS.findall(line)] == ([1, 2])
    assert _MARK.sub("", line).count("\\[") == quoted.strip().count("\\[")


def shown(sentences: list[str], quote: str, title: str, source: str, columns: int) -> str:
    citation = Citation(1, f"{source}#1", source, title, (title, "Part"), quote, None, None, (3, 4), None)
    result = made(*(Sentence(text, (1,), "unsupported") for text in sentences), citations=(citation,), invalid=("9",))
    text = " ".join(marked(sentence) for sentence in result.answer.sentences)
    result = dataclasses.replace(result, answer=dataclasses.replace(result.answer, text=text))
    with mock.patch.object(sys, "stdout", Terminal()), mock.patch.dict("os.environ", {"COLUMNS": str(columns)}):
        return answers.text(result, Output(color="never"), Index(Config()))


@given(st.lists(texts.filter(str.strip), min_size=1, max_size=3), texts, texts, texts, st.integers(20, 120))
@example(["0000000000000000000000000[2] other.md"], "", "", "", 26)
def test_no_line_of_an_answer_is_forged(
    sentences: list[str], quote: str, title: str, source: str, columns: int
) -> None:
    text = shown(sentences, quote, title, source, columns)
    assert is_safe(text)
    lines = text.split("\n")
    assert [line[:3] for line in lines if OURS.match(line)].count("[1]") >= 1
    assert {int(number) for number in OURS.findall(text)} <= {1}  # the one source there is
    at_the_edge = [line for line in lines if re.match(r"\[(unsupported|supported|invalid citations)\]", line)]
    assert len(at_the_edge) == len(sentences) + 1
    assert lines[-1] == "    unsupported"
    assert not any(re.fullmatch(r"    (supported|paraphrase)", line) for line in lines)


@given(texts, texts)
def test_no_passage_of_a_prompt_is_forged(passage: str, chunk_id: str) -> None:
    found = build_chunk("x#1", text=passage)
    found = dataclasses.replace(found, chunk_id=chunk_id)
    plan = PromptPlan("q", "extractive", None, (Passage(1, found, passage, found.span, "x"),), None, 1, 1, None)
    _, *lines = prompts.text(plan).split("\n")
    assert lines[0].startswith("[1] ") and all(line.startswith("    ") for line in lines[1:])
    body = prompts.text(dataclasses.replace(plan, model="m", request={"text": passage})).split("\n", 1)[1]
    assert json.loads(body) == {"text": passage} and is_safe(body)


@given(texts)
def test_remarks_and_errors_begin_one_line(text: str) -> None:
    with mock.patch.object(sys, "stderr", Terminal()) as stream:
        Output().warning(text)
        lines = stream.getvalue().removesuffix("\n").split("\n")
    assert lines[0].startswith("warning: ") and all(line.startswith("  ") for line in lines[1:])
    assert continued("a\nb\nc") == "a\n  b\n  c"


@pytest.mark.parametrize(
    "text", ["\u2028[2] other.md", "a\u202eb\u2066c\u200fd", "x\x85y\r\nz\x0bw\x1cv", "<i>&#91;</i>"]
)
def test_no_report_is_misled(text: str) -> None:
    run = example_run(markup=text)
    verdict = judge_run(run, fail_under={"R@5": 0.9})
    for report in (to_html(run, verdict), to_markdown(run, verdict), to_junit(run, verdict)):
        assert is_safe(report)
        assert text not in report
    asked = {one_line(f"{case.id}: {case.question}") for case in run.per_case}
    root = ET.fromstring(to_junit(run, verdict))
    assert asked <= {item.get("name") for item in root.iter("testcase")}
    page = lxml_html.fromstring(to_html(run, verdict))
    lost = {f"{case.id}: {printable(case.question)}" for case in run.per_case if case.lost_at is not None}
    summaries = {"".join(item.itertext()).rsplit(" ", 1)[0] for item in page.iter("summary")}
    assert len(page.findall(".//summary/bdi")) == 2 * len(lost) and len(summaries) == len(lost)


@given(texts.filter(lambda text: text.strip() and "\ufeff" not in text))
def test_markdown_shows_a_text_as_it_stands(text: str) -> None:
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render(f"- {escaped(text)}")
    item = lxml_html.fromstring(rendered)
    assert not list(item.iter("a", "img", "em", "strong", "code", "h1", "hr", "table", "ol"))
    assert len(list(item.iter("li"))) == 1
    assert " ".join("".join(item.itertext()).split()) == one_line(text)


@given(texts, st.sampled_from(["=", "+", "-", "@", "\t=", " =", "＝", "\n=", "\r@"]))
def test_no_cell_is_computed(text: str, start: str) -> None:
    cell = spreadsheet_cell(start + text)
    assert cell == "'" + start + text or re.fullmatch(r"[+-][0-9][0-9.,'eE%+-]*", start + text)
    assert spreadsheet_cell("word " + text) == "word " + text


def test_numbers_stay_numbers() -> None:
    for number in ("-5", "+3.25", "-1,000.5", "-2e-5", "-3%", "12"):
        assert spreadsheet_cell(number) == number
    for formula in ("-5+cmd|' /C calc'!A0", "=1+1", "+A1", "@SUM(1)", "-A1", "\t=1", "−1+A1"):
        assert spreadsheet_cell(formula) == "'" + formula
