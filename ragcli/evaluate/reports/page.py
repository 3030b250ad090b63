"""The report as one HTML page that needs nothing else: verdict, plots, tables and every lost case. No script in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as escape_markup
from importlib.resources import files

from ragcli.display import one_line, printable
from ragcli.evaluate.gate import GateVerdict
from ragcli.evaluate.reports.figures import figures
from ragcli.evaluate.reports.wording import (
    change,
    claim_lines,
    flip_line,
    interval,
    judge_line,
    lost_cases,
    number,
    stage_setting,
    stage_title,
)
from ragcli.evaluate.run import CaseResult, EvalRun


def escape(text: str) -> str:
    """Text as markup that shows it as it stands, with nothing in it that reorders what is beside it."""
    return escape_markup(printable(text))


def to_html(run: EvalRun, verdict: GateVerdict, *, baseline: EvalRun | None = None) -> str:
    """The whole page. ``baseline`` adds its marks to the plots."""
    style = files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    body = [
        _head(run, verdict),
        '<div class="plots">' + "".join(figures(run, verdict, baseline)) + "</div>",
        _flips(verdict),
        _measures(run, verdict),
        _tags(run),
        _losses(run),
        _cases(run),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="ragcli">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(verdict.line)} – {escape(run.golden)}</title>\n<style>\n{style}</style></head>\n"
        "<body><main>\n" + "\n".join(part for part in body if part) + "\n</main></body></html>\n"
    )


def _head(run: EvalRun, verdict: GateVerdict) -> str:
    state = ("passed" if verdict.passed else "failed") if verdict.asked else "unasked"
    facts = [
        f"{run.cases} questions of {run.golden}",
        f"index {run.index_version}, corpus {run.corpus or 'unknown'}, config {run.config_hash}",
        judge_line(run),
    ]
    checks = "".join(
        f'<li class="{"passed" if check.passed else "unasked" if check.soft else "failed"}">{escape(str(check))}</li>'
        for check in sorted(verdict.checks, key=lambda check: (check.passed, check.soft))
    )
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in run.notices)
    meta = "".join(f'<p class="meta">{escape(fact)}</p>' for fact in facts if fact)
    listed = f"<ul>{checks}</ul>" if checks else ""
    return f'<h1>Evaluation</h1>{meta}<div class="verdict {state}">{escape(verdict.line)}</div>{listed}{notes}'


def _measures(run: EvalRun, verdict: GateVerdict) -> str:
    before = {item.measure: item for item in verdict.comparison.differences} if verdict.comparison else {}
    head = ["measure", "mean", "interval", "n", "undefined", *(["baseline", "change"] if before else [])]
    rows = []
    for name, estimate in run.measures.items():
        row = [name, number(estimate.mean), interval(estimate), str(estimate.n), str(estimate.undefined)]
        if before:
            item = before.get(name)
            row += [number(item.old), change(item.difference)] if item else ["–", "–"]
        rows.append(row)
    return f"<h2>Measures</h2>{_table(head, rows)}"


def _tags(run: EvalRun) -> str:
    if not run.by_tag:
        return ""
    names = [name for name, estimate in run.measures.items() if estimate.mean is not None]
    shown = [name for name in names if name in _TAG_MEASURES] or names[:6]
    rows = [[tag, *(number(row[name].mean) for name in shown)] for tag, row in run.by_tag.items()]
    return f"<h2>By tag</h2>{_table(['tag', *shown], rows)}"


_TAG_MEASURES = ("Hit@5", "R@5", "RR@10", "nDCG@10", "contains", "support_rate", "abstention_recall")


def _losses(run: EvalRun) -> str:
    if not run.losses:
        return "<h2>Losses by stage</h2><p>No case was lost.</p>"
    rows = [[stage_title(stage), str(count), stage_setting(stage)] for stage, count in run.losses.items()]
    return f"<h2>Losses by stage</h2>{_table(['stage', 'cases', 'acts on it'], rows)}"


def _flips(verdict: GateVerdict) -> str:
    compared = verdict.comparison
    if compared is None:
        return ""
    worse = sum(flip.worse for flip in compared.flips)
    head = f"<h2>Against {escape(compared.baseline)}: {worse} lost, {len(compared.flips) - worse} won</h2>"
    rows = [[flip_line(flip), flip.question] for flip in compared.flips]
    apart = (
        f"{compared.cases} shared cases; {compared.only_new} only in this run, {compared.only_old} only in the other"
    )
    return f'{head}<p class="meta">{apart}</p>' + (_table(["question", "asked"], rows) if rows else "")


def _cases(run: EvalRun) -> str:
    cases = lost_cases(run.per_case)
    return f"<h2>Lost cases ({len(cases)})</h2>" + "".join(_case(case) for case in cases) if cases else ""


def _case(case: CaseResult) -> str:
    entries = [
        ("lost at", stage_title(case.lost_at) + (f": {one_line(case.loss.detail)}" if case.loss else "")),
        ("try", case.loss.setting if case.loss else ""),
        ("expected", _lines(_expected(case))),
        ("answer wanted", " + ".join(case.expected_answer)),
        ("answered", case.answer if case.answer is not None else "declined" if case.found is False else ""),
        ("cited", _lines(case.cited)),
        ("judged", _lines(claim_lines(case))),
        ("retrieved", _lines(f"{rank}. {chunk_id}" for rank, chunk_id in enumerate(case.retrieved, start=1))),
        ("label", case.where),
    ]
    listed = "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in entries if text)
    stage = f'<span class="stage">{escape(stage_title(case.lost_at))}</span>'
    asked = (
        f"<bdi>{escape(case.id)}</bdi>: <bdi>{escape(case.question)}</bdi>"  # text to be read from the right stays put
    )
    return f"<details><summary>{asked} {stage}</summary><dl>{listed}</dl></details>"


def _lines(items: Iterable[str]) -> str:
    """Each item on a line of its own, whatever stands in it."""
    return "\n".join(map(one_line, items))


def _expected(case: CaseResult) -> Iterable[str]:
    if not case.answerable:
        yield "no answer"
    for name, rank in zip(case.expected, case.ranks, strict=True):
        yield f"{name} ({f'rank {rank}' if rank else 'not retrieved'})"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose cells of digits are set flush right."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>'


def _cell(text: str) -> str:
    return f"<td>{escape(text)}</td>"
