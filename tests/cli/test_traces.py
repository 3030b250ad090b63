"""``rag log``, ``stats`` and ``feedback``: nobody sees what another group asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragcli.application.history import summary
from ragcli.index.traces import Traces
from ragcli.records import Trace, Usage
from tests.cli.running import here


def trace(
    trace_id: str, question: str, *, found: bool = True, groups: tuple[str, ...] = (), total: float = 10
) -> Trace:
    return Trace(
        trace_id=trace_id,
        created="2026-03-01T10:00:00+00:00",
        question=question,
        standalone_question=question,
        index_version="v000001",
        mode="hybrid",
        found=found,
        not_found_reason=None if found else "low_evidence",
        answer="Yes [1]." if found else "",
        confidence=0.7,
        hits=(("a.md#1", 0.5),),
        passages=("a.md#1",),
        cited=("a.md#1",) if found else (),
        statuses=("supported", "uncited") if found else (),
        provider="extractive",
        model="m",
        usage=Usage(3, 4),
        timings_ms={"total": total},
        groups=groups,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    traces = Traces(tmp_path / ".rag" / "traces")
    for item in (
        trace("20260301T100000-aa", "Public question?", total=10),
        trace("20260301T100001-bb", "Declined\x1b[2J?", found=False, total=30),
        trace("20260301T100002-cc", "Secret question?", groups=("hr",), total=50),
    ):
        traces.append(item)
    return tmp_path


def test_log_lists_the_latest(folder: Path) -> None:
    ran = here("log", cwd=folder)
    assert ran.out.splitlines()[1:] == [
        "20260301T100000-aa  found                   Public question?",
        "20260301T100001-bb  low_evidence            Declined\\x1b[2J?",
    ]
    assert [t["trace_id"] for t in here("log", "-n", "1", "--json", cwd=folder).json["traces"]] == [
        "20260301T100001-bb"
    ]


def test_a_question_of_a_group_is_shown_to_the_group_alone(folder: Path) -> None:
    assert "Secret" in here("log", "--as", "hr", cwd=folder).out
    assert "Secret" in here("log", "--as", "hr", "--as", "it", cwd=folder).out
    for line in (("log",), ("log", "--as", "it"), ("stats",), ("log", "20260301T100002-cc")):
        ran = here(*line, cwd=folder)
        assert "Secret" not in ran.out + ran.err and "hr" not in ran.out
    assert here("feedback", "20260301T100002-cc", "good", cwd=folder).code == 4
    assert here("stats", "--json", cwd=folder).json["questions"] == 2
    assert here("stats", "--as", "hr", "--json", cwd=folder).json["questions"] == 3


def test_feedback_is_kept(folder: Path) -> None:
    assert here("feedback", "20260301T100000", "good", cwd=folder).out == "20260301T100000-aa: good\n"
    assert here("log", "20260301T100000-aa", "--json", cwd=folder).json["feedback"] == "good"
    assert here("stats", "--json", cwd=folder).json["feedback"] == {"good": 1}
    ambiguous = here("feedback", "2026", "bad", cwd=folder)
    assert (ambiguous.code, ambiguous.out) == (4, "")
    assert ambiguous.err.startswith("error: 2 traces start with '2026'\n")
    assert here("feedback", "20260301T100000", "perhaps", cwd=folder).code == 2


def test_summary_by_hand() -> None:
    traces = [trace(str(n), "q", found=n != 0, total=n * 10) for n in range(4)]
    assert summary(traces) == {
        "schema": "rag.stats/1",
        "questions": 4,
        "found": 3,
        "not_found": {"low_evidence": 1},
        "failed": {},
        "sentences": {"supported": 3, "uncited": 3},
        "feedback": {},
        "providers": {"extractive": 4},
        "input_tokens": 12,
        "cached_tokens": 0,
        "output_tokens": 16,
        "dollars": None,
        "without_a_price": 4,
        "median_ms": 15.0,
        "p95_ms": 30,
        "first": "2026-03-01T10:00:00+00:00",
        "last": "2026-03-01T10:00:00+00:00",
    }
    assert summary([])["median_ms"] is None


def test_without_questions(tmp_path: Path) -> None:
    assert here("log", cwd=tmp_path).out == "no questions yet\n"
    assert here("stats", "--json", cwd=tmp_path).json["questions"] == 0
