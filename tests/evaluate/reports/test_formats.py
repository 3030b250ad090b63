from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from io import StringIO

import ir_measures
import pytest

from ragcli.evaluate.gate import judge_run
from ragcli.evaluate.judge.claims import JudgedClaim
from ragcli.evaluate.reports.figures import recall_curve
from ragcli.evaluate.reports.junit import to_junit
from ragcli.evaluate.reports.markdown import escaped, to_markdown
from ragcli.evaluate.reports.page import to_html
from ragcli.evaluate.reports.plots import Whisker, histograms, intervals
from ragcli.evaluate.reports.trec import plain, to_trec_qrels, to_trec_run
from ragcli.evaluate.run import CaseResult, EvalRun
from tests.evaluate.runs import example

EXAMPLE = example()
NASTY = example(markup="\x00<script>alert(1)</script>&amp;|`*[x](y)\u2028@team")


def test_the_trec_files_measure_the_same_elsewhere() -> None:
    qrels = list(ir_measures.read_trec_qrels(StringIO(to_trec_qrels(EXAMPLE))))
    run = list(ir_measures.read_trec_run(StringIO(to_trec_run(EXAMPLE))))
    for name in ("nDCG@10", "R@5", "RR@10", "P@3", "AP"):
        wanted = ir_measures.parse_measure(name)
        mean = EXAMPLE.measures[name].mean
        assert mean == pytest.approx(ir_measures.calc_aggregate([wanted], qrels, run)[wanted], abs=1e-9)


def test_names_in_trec_files_hold_no_white_space_and_stay_apart() -> None:
    assert plain("a b%20\n") == "a%20b%2520%0A"
    for text in (to_trec_run(NASTY), to_trec_qrels(NASTY)):
        assert {len(line.split()) for line in text.split("\n") if line} in ({6}, {4})


def test_recall_at_k_is_the_curve_through_the_measures() -> None:
    points = recall_curve(EXAMPLE)
    for k in (1, 3):
        assert points[k - 1] == pytest.approx(EXAMPLE.measures[f"R@{k}"].mean)


class Page(HTMLParser):
    """Collects tags and attributes, and checks that they are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def found(case: CaseResult) -> CaseResult:
    """The case as if it had not been lost."""
    return dataclasses.replace(case, lost_at=None)


@pytest.mark.parametrize("run", [EXAMPLE, NASTY], ids=["plain", "markup"])
def test_the_page_is_whole_and_needs_nothing_else(run: EvalRun) -> None:
    page, before = Page(), dataclasses.replace(run, per_case=tuple(map(found, run.per_case)))
    page.feed(
        to_html(run, judge_run(run, fail_under={"R@5": 0.9}, baseline=before, baseline_name="b"), baseline=before)
    )
    assert page.open == []
    assert "script" not in page.tags
    assert page.links == []
    assert {"svg", "details", "table", "figure"} <= page.tags


def test_junit_is_xml_whatever_the_questions_hold_and_lost_cases_do_not_fail_it() -> None:
    root = ET.fromstring(to_junit(NASTY, judge_run(NASTY, fail_under={"R@5": 0.1})))
    gate, cases = root.findall("testsuite")
    assert (gate.get("tests"), gate.get("failures")) == ("2", "0")
    assert (cases.get("tests"), cases.get("skipped"), cases.get("failures")) == ("12", "2", "0")
    assert "cut by k" in (cases.findall("testcase/skipped")[0].get("message") or "")
    failing = ET.fromstring(to_junit(NASTY, judge_run(NASTY, fail_under={"R@5": 1.0})))
    assert [item.get("name") for item in failing.findall(".//testcase[failure]")] == ["R@5"]


def test_markdown_shows_texts_as_they_stand() -> None:
    assert escaped("a|b\n<i>*@x") == r"a\|b \<i\>\*\@x"
    text = to_markdown(NASTY, judge_run(NASTY, fail_under={}))
    assert "<script>" not in text
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    assert (
        len({line.count(" | ") for line in lines if "lost" not in line and "cut" not in line and "stage" not in line})
        <= 2
    )


def test_a_plot_says_its_numbers() -> None:
    svg = intervals([Whisker("R@5", 0.5, 0.4, 0.6, 0.45)], label="x")
    assert "<title>R@5: 0.5000 (0.4000 to 0.6000), baseline 0.4500</title>" in svg
    assert svg.count('class="before"') == 1


def test_a_histogram_counts_every_value_also_when_all_are_equal() -> None:
    svg = histograms([("a", "answered", [0.5] * 7)], label="x")
    assert ": 7</title>" in svg
    assert histograms([("a", "answered", [])], label="x") == ""


def test_who_judged_and_what_was_ruled_stands_in_the_reports() -> None:
    claim = JudgedClaim("judge_faithfulness", "It is 4 days", False, "four <days>", False)
    rows = [dataclasses.replace(case, claims=(claim,)) for case in EXAMPLE.per_case]
    run = dataclasses.replace(EXAMPLE, per_case=tuple(rows), judge={"judge": "m-1", "agreement": "of 80%"})
    page, text = to_html(run, judge_run(run, fail_under={})), to_markdown(run, judge_run(run, fail_under={}))
    assert "judge: m-1; agreement: of 80%" in page
    assert "faithfulness, not good: It is 4 days – “four &lt;days&gt;” (not found)" in page
    assert "judge: m-1; agreement: of 80%" in text
