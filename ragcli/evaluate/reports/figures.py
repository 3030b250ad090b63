"""Which plots a run's page shows, and the numbers in them."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ragcli.evaluate.gate import WATCHED, GateVerdict
from ragcli.evaluate.measuring.measures import measure
from ragcli.evaluate.reports.plots import Bar, Whisker, bars, curve, histograms, intervals
from ragcli.evaluate.reports.wording import stage_title
from ragcli.evaluate.run import EvalRun

_SHOWN = ("Hit@5", "RR@10", *(name for name in WATCHED if name != "RR@10"), "context_recall", "context_precision")
_DEEPEST = 20


def figures(run: EvalRun, verdict: GateVerdict, baseline: EvalRun | None = None) -> Iterator[str]:
    """Every plot that has something to show, as a ``<figure>`` with its caption."""
    before = baseline.measures if baseline is not None else {}
    legend = "dot: mean, bar: interval" + ("; diamond: baseline" if before else "")
    gated = [check.measure for check in verdict.checks if check.kind == "threshold"]
    rows = []
    for name in dict.fromkeys([*_SHOWN, *gated]):
        found, old = run.measures.get(name), before.get(name)
        if found is not None and found.mean is not None and found.low is not None and found.high is not None:
            rows.append(Whisker(name, found.mean, found.low, found.high, old.mean if old else None))
    if rows:
        yield _figure("Measures", legend, intervals(rows, label="measures with their intervals"))
    points = recall_curve(run)
    if points:
        known = [
            (k, old.mean) for k in range(1, len(points) + 1) if (old := before.get(f"R@{k}")) and old.mean is not None
        ]
        yield _figure("Recall at k", "share of the labels found", curve(points, known, label="recall at k"))
    if run.losses:
        lost = [Bar(stage_title(stage), count, str(count)) for stage, count in run.losses.items()]
        yield _figure("Losses by stage", "cases", bars(lost, label="lost cases by stage"))
    yield from _scores(run)
    if run.latency_ms:
        times = [
            Bar(stage, row["p50"], f"{row['p50']:.1f} / {row['p95']:.1f}", row["p95"])
            for stage, row in run.latency_ms.items()
        ]
        yield _figure("Latency", "milliseconds, median and 95th percentile", bars(times, label="latency by stage"))


def recall_curve(run: EvalRun) -> list[float]:
    """Mean recall at k = 1, 2, … over the cases with a label; empty for a run read from a file (no rankings)."""
    cases = [case for case in run.per_case if case.relevance]
    if not cases:
        return []
    deepest = min(_DEEPEST, max(len(case.items) for case in cases))
    return [
        sum(measure(f"R@{k}", case.items, case.relevance) for case in cases) / len(cases) for k in range(1, deepest + 1)
    ]


def _scores(run: EvalRun) -> Iterator[str]:
    """Confidence of answered and declined questions, apart for those that have an answer and those that have none."""
    answered = [case for case in run.per_case if case.found is not None and case.confidence is not None]
    if answered:
        groups = [
            ("has an answer", "answered", [case.confidence or 0.0 for case in answered if case.answerable]),
            ("has none", "declined", [case.confidence or 0.0 for case in answered if not case.answerable]),
            ("answered", "answered", [case.confidence or 0.0 for case in answered if case.found]),
            ("declined", "declined", [case.confidence or 0.0 for case in answered if not case.found]),
        ]
        shown = [group for group in groups if group[2]]
        yield _figure("Confidence", "of the answer", histograms(shown, label="confidence by outcome"))
        return
    scored = [case for case in run.per_case if case.top_score is not None]
    groups = [
        ("not lost", "answered", [case.top_score or 0.0 for case in scored if case.lost_at is None]),
        ("lost", "declined", [case.top_score or 0.0 for case in scored if case.lost_at is not None]),
    ]
    if scored:
        shown = [group for group in groups if group[2]]
        yield _figure("Score of the first hit", "by outcome", histograms(shown, label="first score by outcome"))


def _figure(title: str, remark: str, svg: str) -> str:
    return f"<figure><figcaption>{escape(title)} <span>{escape(remark)}</span></figcaption>{svg}</figure>"
