"""How numbers, stages and cases are put into words, the same in every report."""

from __future__ import annotations

from collections.abc import Iterable

from ragcli.evaluate.gate import Flip
from ragcli.evaluate.losses import STAGES
from ragcli.evaluate.run import CaseResult, Estimate, EvalRun


def number(value: float | None) -> str:
    """Four decimals; an undefined value is named."""
    return "undefined" if value is None else f"{value:.4f}"


def change(value: float | None) -> str:
    """A difference with its sign."""
    return "undefined" if value is None else f"{value:+.4f}"


def interval(estimate: Estimate) -> str:
    """``low – high``, or a dash without one."""
    if estimate.low is None or estimate.high is None:
        return "–"
    return f"{estimate.low:.4f} – {estimate.high:.4f}"


def stage_title(stage: str | None) -> str:
    """A stage in words; None is a case that was not lost."""
    if stage is None:
        return "right"
    return STAGES[stage].title if stage in STAGES else stage


def stage_setting(stage: str) -> str:
    """The settings that act on a stage."""
    return STAGES[stage].setting if stage in STAGES else ""


def flip_line(flip: Flip) -> str:
    """What became of one question between two runs."""
    return f"{flip.id}: {stage_title(flip.was)} → {stage_title(flip.now)}"


def lost_cases(cases: Iterable[CaseResult]) -> list[CaseResult]:
    """The lost cases, by stage in the order of the pipeline, then by id."""
    order = {stage: place for place, stage in enumerate(STAGES)}
    lost = [case for case in cases if case.lost_at is not None]
    return sorted(lost, key=lambda case: (order.get(case.lost_at or "", len(order)), case.id))


def judge_line(run: EvalRun) -> str:
    """Who judged, how often it could not be read, and how far it agrees with people; "" when nobody did."""
    if not run.judge:
        return ""
    return "; ".join(f"{key.replace('_', ' ')}: {value}" for key, value in run.judge.items())


def claim_lines(case: CaseResult) -> list[str]:
    """A judge's rulings on an answer, each with its evidence."""
    lines = []
    for claim in case.claims:
        evidence = f" – “{claim.quote}”{'' if claim.verified else ' (not found)'}" if claim.quote else ""
        ruling = "good" if claim.good else "not good"
        lines.append(f"{claim.measure.removeprefix('judge_')}, {ruling}: {claim.claim}{evidence}")
    return lines
