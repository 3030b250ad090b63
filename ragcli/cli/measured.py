"""An evaluation as JSON and as tables: measures with intervals, losses by stage, the gate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragcli.cli.output import Output
from ragcli.cli.terminal import one_line, shortened
from ragcli.codec import encode

if TYPE_CHECKING:
    from ragcli.evaluate.gate import Comparison, Verdict
    from ragcli.evaluate.run import Estimate, EvalRun

_CASES = 20


def content(run: EvalRun, verdict: Verdict) -> dict[str, Any]:
    """The value that ``--json`` prints."""
    from ragcli.evaluate.run import run_to_json

    return {**run_to_json(run), "gate": gate(verdict)}


def gate(verdict: Verdict) -> dict[str, Any]:
    """The verdict as JSON; ``passed`` is what the exit code says."""
    value: dict[str, Any] = {"passed": verdict.passed, **encode(verdict)}
    value["failures"] = [failure["message"] for failure in value["failures"]]
    value["warnings"] = [warning["message"] for warning in value["warnings"]]
    return value


def save(run: EvalRun, verdict: Verdict, path: Path) -> None:
    """Keep the run for a later ``--baseline``."""
    from ragcli.evaluate.run import save_run

    save_run(run, path, gate=gate(verdict))


def text(output: Output, run: EvalRun, verdict: Verdict) -> str:
    """The run as tables."""
    parts = [f"{run.cases} cases of {one_line(run.golden)} over {run.index_version}", _measures(output, run)]
    if run.losses:
        parts.append(output.table(("lost at", "cases>"), run.losses.items()))
        parts.append(_lost(output, run))
    if verdict.comparison is not None:
        parts.append(_comparison(output, verdict.comparison))
    if verdict.asked:
        lines = [f"gate {verdict.line}"]
        lines += [f"  {failure.kind}: {one_line(failure.message)}" for failure in verdict.failures]
        lines += [f"  warning: {one_line(warning.message)}" for warning in verdict.warnings]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _measures(output: Output, run: EvalRun) -> str:
    columns = ("measure", "mean>", "low>", "high>", "cases>", "undefined>")
    rows = [(name, *_numbers(estimate), estimate.n, estimate.undefined) for name, estimate in run.measures.items()]
    return output.table(columns, rows)


def _numbers(estimate: Estimate) -> tuple[str, str, str]:
    return number(estimate.mean), number(estimate.low), number(estimate.high)


def number(value: float | None) -> str:
    """Three decimals, a dash for what is not defined."""
    return "–" if value is None else f"{value:.3f}"


def _lost(output: Output, run: EvalRun) -> str:
    lost = [case for case in run.per_case if case.lost_at is not None]
    shown = lost if output.verbosity else lost[:_CASES]
    rows = [(case.id, case.lost_at, shortened(case.question, 60), _why(case.loss)) for case in shown]
    table = output.table(("case", "lost at", "question", "why"), rows)
    more = f"\n… and {len(lost) - len(shown)} more (-v shows them)" if len(lost) > len(shown) else ""
    return table + more


def _why(loss: Any) -> str:
    if loss is None:
        return ""
    return shortened(f"{loss.detail} ({loss.setting})" if loss.setting else loss.detail, 90)


def _comparison(output: Output, found: Comparison) -> str:
    rows = [
        (item.measure, number(item.old), number(item.new), number(item.difference), number(item.low), number(item.high))
        for item in found.differences
    ]
    columns = ("measure", "baseline>", "now>", "change>", "low>", "high>")
    lines = [f"against {one_line(found.baseline)}, {found.cases} shared cases", output.table(columns, rows)]
    for flip in found.flips:
        lines.append(
            one_line(f"{'worse' if flip.worse else 'better'}: {flip.id}: {flip.was or 'right'} → {flip.now or 'right'}")
        )
    return "\n".join(lines)
