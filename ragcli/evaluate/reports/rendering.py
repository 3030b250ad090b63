"""A run and its verdict in the format that a file's name asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from ragcli.codec import encode
from ragcli.errors import ConfigError
from ragcli.evaluate.gate import GateVerdict
from ragcli.evaluate.reports.junit import to_junit
from ragcli.evaluate.reports.markdown import to_markdown
from ragcli.evaluate.reports.page import to_html
from ragcli.evaluate.reports.trec import to_trec_qrels, to_trec_run
from ragcli.evaluate.run import EvalRun, as_lines, run_to_json

_FORMATS: Mapping[str, Callable[[EvalRun, GateVerdict, EvalRun | None], str]] = {
    ".html": lambda run, verdict, baseline: to_html(run, verdict, baseline=baseline),
    ".md": lambda run, verdict, _: to_markdown(run, verdict),
    ".xml": lambda run, verdict, _: to_junit(run, verdict),
    ".json": lambda run, verdict, _: as_lines(to_json(run, verdict)),
    ".run": lambda run, _, __: to_trec_run(run),
    ".qrels": lambda run, _, __: to_trec_qrels(run),
}


def check_format(name: str) -> None:
    """Raises ConfigError for a file name that asks for no known format: before an evaluation, not after it."""
    if PurePath(name).suffix.lower() not in _FORMATS:
        known = ", ".join(_FORMATS)
        raise ConfigError(f"--report {name}: its ending says no known format; known: {known}")


def render(run: EvalRun, verdict: GateVerdict, name: str, *, baseline: EvalRun | None = None) -> str:
    """The report as the text of a file called ``name``. Raises ConfigError for an unknown ending."""
    check_format(name)
    return _FORMATS[PurePath(name).suffix.lower()](run, verdict, baseline)


def to_json(run: EvalRun, verdict: GateVerdict) -> dict[str, Any]:
    """The run with its gate: what ``rag eval --json`` prints and ``--save`` keeps."""
    gate = {
        "asked": verdict.asked,
        "passed": verdict.passed,
        "exit_code": int(verdict.exit_code),
        "failures": [str(check) for check in verdict.failures],
        "warnings": [str(check) for check in verdict.warnings],
        "checks": encode(verdict.checks),
        "comparison": encode(verdict.comparison),
    }
    return {**run_to_json(run), "gate": gate}
