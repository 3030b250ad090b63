"""The report as Markdown for a pull request: verdict first, then measures, losses and the questions that flipped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ragcli.display import one_line
from ragcli.evaluate.gate import GateVerdict
from ragcli.evaluate.reports.wording import (
    change,
    flip_line,
    interval,
    judge_line,
    lost_cases,
    number,
    stage_setting,
    stage_title,
)
from ragcli.evaluate.run import EvalRun

_SHOWN = 20
MARKER = "<!-- ragcli evaluation report -->"
"""The first line: by it an ingest knows the report for one and passes it over."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~@&$!]|:(?=//)|(?<=\bwww)\.|^[+=-](?=\s|[+=-]|$))")
_NUMBERED = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")


def to_markdown(run: EvalRun, verdict: GateVerdict) -> str:
    """The whole report; pure. At most twenty flips and lost cases are listed, the rest is counted."""
    parts = [
        f"## Evaluation: {verdict.line}",
        f"{run.cases} questions of `{_code(run.golden)}` over index `{run.index_version}`",
        _bullets(str(check) for check in (*verdict.failures, *verdict.warnings)),
        _measures(run, verdict),
        escaped(judge_line(run)),
        _flips(verdict),
        _losses(run),
        _lost(run),
        _bullets(run.notices),
    ]
    return f"{MARKER}\n" + "\n\n".join(part for part in parts if part) + "\n"


def _measures(run: EvalRun, verdict: GateVerdict) -> str:
    compared = verdict.comparison
    before = {item.measure: item for item in compared.differences} if compared else {}
    head = ["measure", "mean", "interval", "n", *(["baseline", "change"] if compared else [])]
    rows = []
    for name, estimate in run.measures.items():
        row = [name, number(estimate.mean), interval(estimate), str(estimate.n)]
        if compared:
            item = before.get(name)
            row += [number(item.old), change(item.difference)] if item else ["–", "–"]
        rows.append(row)
    return markdown_table(head, rows)


def _losses(run: EvalRun) -> str:
    if not run.losses:
        return "No case was lost."
    rows = [[stage_title(stage), str(count), stage_setting(stage)] for stage, count in run.losses.items()]
    return "### Losses by stage\n\n" + markdown_table(["stage", "cases", "acts on it"], rows)


def _flips(verdict: GateVerdict) -> str:
    flips = verdict.comparison.flips if verdict.comparison else ()
    if not flips:
        return ""
    worse = sum(flip.worse for flip in flips)
    lines = [f"{flip_line(flip)}: {flip.question}" for flip in flips[:_SHOWN]]
    return f"### {worse} questions lost, {len(flips) - worse} won\n\n" + _bullets(lines) + _more(len(flips))


def _lost(run: EvalRun) -> str:
    cases = lost_cases(run.per_case)
    if not cases:
        return ""
    lines = [
        f"{case.id} ({stage_title(case.lost_at)}): {case.question}" + (f" {case.loss.detail}" if case.loss else "")
        for case in cases[:_SHOWN]
    ]
    listed = f"{_bullets(lines)}{_more(len(cases))}"
    return f"<details><summary>{len(cases)} lost cases</summary>\n\n{listed}\n\n</details>"


def _more(count: int) -> str:
    return f"\n- and {count - _SHOWN} more" if count > _SHOWN else ""


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {escaped(line)}" for line in lines)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([escaped(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def escaped(text: str) -> str:
    """Text that Markdown shows as it stands, on one line: no markup, link, mention or HTML, no broken list or table."""
    return _NUMBERED.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", one_line(text)))


def _code(text: str) -> str:
    return one_line(text.replace("`", "'"))
