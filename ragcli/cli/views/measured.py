"""An evaluation as tables: measures with intervals, losses by stage, lost cases, the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragcli.cli.output import Output, shortened
from ragcli.display import one_line

if TYPE_CHECKING:
    from ragcli.evaluate.gate import Comparison, GateVerdict
    from ragcli.evaluate.run import CaseResult, EvalRun

_CASES = 20


def text(output: Output, run: EvalRun, verdict: GateVerdict) -> str:
    """The run as tables; ``-v`` lists every lost case."""
    from ragcli.evaluate.reports.wording import judge_line

    parts = [f"{run.cases} cases of {one_line(run.golden)} over {run.index_version}", _measures(output, run)]
    if run.judge:
        parts.append(one_line(judge_line(run)))
    if run.losses:
        parts += [_losses(output, run), _lost(output, run)]
    if verdict.comparison is not None:
        parts.append(_comparison(output, verdict.comparison))
    if verdict.asked:
        shown = verdict.checks if output.verbosity else (*verdict.failures, *verdict.warnings)
        parts.append("\n".join([f"gate {verdict.line}", *(f"  {one_line(str(check))}" for check in shown)]))
    return "\n\n".join(parts)


def _measures(output: Output, run: EvalRun) -> str:
    from ragcli.evaluate.reports.wording import interval, number

    columns = ("measure", "mean>", "interval>", "cases>", "undefined>")
    rows = [
        (name, number(found.mean), interval(found), found.n, found.undefined or "")
        for name, found in run.measures.items()
    ]
    return output.table(columns, rows)


def _losses(output: Output, run: EvalRun) -> str:
    from ragcli.evaluate.reports.wording import stage_setting, stage_title

    rows = [(stage_title(stage), count, stage_setting(stage)) for stage, count in run.losses.items()]
    return output.table(("lost at", "cases>", "settings that act on it"), rows)


def _lost(output: Output, run: EvalRun) -> str:
    from ragcli.evaluate.reports.wording import lost_cases, stage_title

    lost = lost_cases(run.per_case)
    shown = lost if output.verbosity else lost[:_CASES]
    rows = [(case.id, stage_title(case.lost_at), shortened(case.question, 60), _why(case)) for case in shown]
    table = output.table(("case", "lost at", "question", "why"), rows)
    more = f"\n… and {len(lost) - len(shown)} more (-v shows them)" if len(lost) > len(shown) else ""
    return table + more


def _why(case: CaseResult) -> str:
    return shortened(case.loss.detail, 90) if case.loss is not None else ""


def _comparison(output: Output, found: Comparison) -> str:
    from ragcli.evaluate.reports.wording import change, flip_line, number

    rows = [
        (item.measure, number(item.old), number(item.new), change(item.difference), change(item.low), change(item.high))
        for item in found.differences
    ]
    columns = ("measure", "baseline>", "now>", "change>", "low>", "high>")
    lines = [f"against {one_line(found.baseline)}, {found.cases} shared cases", output.table(columns, rows)]
    lines += [f"{'worse' if flip.worse else 'better'}: {one_line(flip_line(flip))}" for flip in found.flips]
    return "\n".join(lines)
