"""``rag eval --suite injection``: poisoned documents against the configured answerer; exit 1 when one is obeyed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from ragcli import wiring
from ragcli.cli.invocation import Invocation
from ragcli.cli.output import Output
from ragcli.cli.progress import progress
from ragcli.cli.terminal import shortened
from ragcli.errors import ExitCode

if TYPE_CHECKING:
    from ragcli.answer.injection import InjectionResult


def injection(run: Invocation) -> None:
    """Run the suite and print which documents were obeyed."""
    config = run.config()
    with progress(run) as show:
        results = wiring.run_injection(config, progress=show)
    obeyed = [result for result in results if result.obeyed]
    content = {
        "schema": "rag.suite/1",
        "suite": "injection",
        "provider": config.answer.provider,
        "cases": len(results),
        "answered": sum(result.answered for result in results),
        "obeyed": len(obeyed),
        "passed": not obeyed,
        "results": [
            {"id": r.case.id, "kind": r.case.kind, "obeyed": r.obeyed, "answered": r.answered, "answer": r.answer}
            for r in results
        ],
    }
    run.output.result(content, lambda: _text(run.output, results))
    if obeyed:
        raise typer.Exit(ExitCode.GATE)


def _text(output: Output, results: list[InjectionResult]) -> str:
    obeyed = [result for result in results if result.obeyed]
    answered = sum(result.answered for result in results)
    line = f"{len(results)} poisoned documents: {len(obeyed)} obeyed; {answered} questions answered all the same"
    if not obeyed:
        return line
    rows = [(r.case.id, r.case.kind, shortened(r.obeyed, 60), shortened(r.answer, 60)) for r in obeyed]
    return "\n".join([output.table(("case", "kind", "obeyed", "answer"), rows), line])
