from __future__ import annotations

import dataclasses
import html
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.errors import ConfigError
from ragcli.evaluate.gate import judge_run
from ragcli.evaluate.reports.rendering import check_format, render, to_json
from ragcli.evaluate.run import EvalRun, load_run, save_run
from tests.evaluate.runs import example, run_of

EXAMPLE = example()


def worse(run: EvalRun, share: int) -> EvalRun:
    """The run with the first ``share`` cases lost."""
    rows = [
        dataclasses.replace(
            case, lost_at="k", measures={**case.measures, **dict.fromkeys(("R@5", "nDCG@10", "RR@10"), 0.0)}
        )
        if place < share
        else case
        for place, case in enumerate(run.per_case)
    ]
    return run_of(rows, answers=True)


@given(
    threshold=st.sampled_from([None, 0.2, 0.75, 9 / 11, 0.95]),
    lost=st.sampled_from([None, 0, 2, 11]),
    gone=st.booleans(),
)
def test_exit_code_verdict_and_every_report_agree(threshold: float | None, lost: int | None, gone: bool) -> None:
    run = EXAMPLE if lost is None else worse(EXAMPLE, lost)
    run = dataclasses.replace(run, faults={"not_in_corpus": 1} if gone else {})
    verdict = judge_run(
        run,
        fail_under={} if threshold is None else {"R@5": threshold},
        baseline=None if lost is None else EXAMPLE,
        baseline_name="kept.json",
    )
    expected_failure = bool(
        (threshold is not None and (0.0 if lost == 11 else (9 - (lost or 0)) / 11) < threshold)
        or (lost == 11)
        or (gone and (threshold is not None or lost is not None))
    )
    assert (int(verdict.exit_code) == 1) is expected_failure
    content = json.loads(render(run, verdict, "r.json"))
    assert content["gate"]["passed"] is not expected_failure
    assert content["gate"]["exit_code"] == int(verdict.exit_code)
    assert bool(content["gate"]["failures"]) is expected_failure
    assert int(ET.fromstring(render(run, verdict, "r.xml")).get("failures", "")) == len(verdict.failures)
    assert len(ET.fromstring(render(run, verdict, "r.xml")).findall(".//failure")) == len(verdict.failures)
    first = render(run, verdict, "r.md").splitlines()[1]
    assert first == f"## Evaluation: {verdict.line}"
    assert ("FAILED" in first) is expected_failure
    page = render(run, verdict, "r.html")
    state = re.search(r'class="verdict (\w+)">([^<]*)<', page)
    assert state is not None
    assert html.unescape(state[2]) == verdict.line
    assert (state[1] == "failed") is expected_failure


def test_an_ending_without_a_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"r\.pdf.*known: \.html, \.md, \.xml, \.json"):
        check_format("r.pdf")


def test_a_saved_run_is_read_back_and_is_no_regression_against_itself(tmp_path: Path) -> None:
    verdict = judge_run(EXAMPLE, fail_under={})
    (tmp_path / "a.json").write_text(render(EXAMPLE, verdict, "a.json"), encoding="utf-8")
    save_run(EXAMPLE, tmp_path / "deep" / "b.json")
    for name in ("a.json", "deep/b.json"):
        kept = load_run(tmp_path / name)
        assert kept.measures == EXAMPLE.measures
        again = judge_run(EXAMPLE, fail_under={}, baseline=kept, baseline_name=name)
        assert again.passed
        assert again.comparison is not None
        assert again.comparison.flips == ()
        assert {item.difference for item in again.comparison.differences} <= {0.0, None}


def test_the_json_has_the_documented_keys() -> None:
    content = to_json(EXAMPLE, judge_run(EXAMPLE, fail_under={"R@5": 0.9}))
    assert content["schema"] == "rag.eval/1"
    keys = {"golden", "cases", "index_version", "config_hash", "measures", "by_tag", "losses", "gate", "per_case"}
    assert keys | {"seconds", "tokens"} <= set(content)
    assert set(content["measures"]["nDCG@10"]) >= {"mean", "low", "high", "n"}
    assert set(content["per_case"][0]) >= {"id", "measures", "lost_at", "retrieved", "answer", "found"}
    assert content["losses"] == {"k": 2}


@pytest.mark.parametrize("text", ["{}", "[]", '{"schema": "rag.eval/2"}', '{"schema": "rag.eval/1"}', "{"])
def test_a_file_that_is_no_run_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(ConfigError, match=r"r\.json"):
        load_run(tmp_path / "r.json")
    with pytest.raises(ConfigError, match="does not exist"):
        load_run(tmp_path / "none.json")
