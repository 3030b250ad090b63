"""The report as JUnit XML: what a CI server shows as tests.

The checks of the gate are the tests that can fail, so that the server's verdict is the gate's. Cases are listed beside
them: a lost one is *skipped* with the stage as its message, because a case fails a build only through the gate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from ragcli.display import one_line
from ragcli.evaluate.gate import GateCheck, GateVerdict
from ragcli.evaluate.reports.wording import stage_title
from ragcli.evaluate.run import CaseResult, EvalRun

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot carry, once control characters are written as escapes."""


def to_junit(run: EvalRun, verdict: GateVerdict) -> str:
    """The whole report; pure."""
    gate = [_check(check) for check in verdict.checks]
    cases = [_case(case) for case in run.per_case]
    lost = sum(case.lost_at is not None for case in run.per_case)
    seconds = run.seconds.get("total", 0.0)
    suites = [
        _suite("gate", gate, failures=len(verdict.failures), skipped=len(verdict.warnings), seconds=0.0),
        _suite(f"cases of {run.golden}", cases, failures=0, skipped=lost, seconds=seconds),
    ]
    head = f'<testsuites name="rag eval" tests="{len(gate) + len(cases)}" failures="{len(verdict.failures)}">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *suites, "</testsuites>"]) + "\n"


def _suite(name: str, tests: Sequence[str], *, failures: int, skipped: int, seconds: float) -> str:
    counts = f'tests="{len(tests)}" failures="{failures}" errors="0" skipped="{skipped}" time="{seconds:.3f}"'
    return "\n".join([f"<testsuite name={_attribute(name)} {counts}>", *tests, "</testsuite>"])


def _check(check: GateCheck) -> str:
    name = f'<testcase classname="gate.{check.kind}" name={_attribute(check.measure)}'
    if check.passed:
        return f"{name}><system-out>{_text(check.message)}</system-out></testcase>"
    tag = "skipped" if check.soft else "failure"
    return f"{name}><{tag} message={_attribute(check.message)}/></testcase>"


def _case(case: CaseResult) -> str:
    seconds = case.timings_ms.get("total", 0.0) / 1000
    name = f'<testcase classname="case" name={_attribute(f"{case.id}: {case.question}")} time="{seconds:.3f}"'
    if case.lost_at is None:
        return f"{name}/>"
    message = f"{stage_title(case.lost_at)}: {case.loss.detail if case.loss else ''}"
    return f"{name}><skipped message={_attribute(message)}/></testcase>"


def _attribute(text: str) -> str:
    return quoteattr(_plain(text))


def _text(text: str) -> str:
    return escape(_plain(text))


def _plain(text: str) -> str:
    """One line that any viewer of test results shows as it stands."""
    return _ILLEGAL.sub("\ufffd", one_line(text))
