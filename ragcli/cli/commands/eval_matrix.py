"""``rag eval --matrix``: the golden set over several settings, as one table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragcli.cli.invocation import Invocation
from ragcli.cli.progress import progress
from ragcli.cli.targets import check_target
from ragcli.errors import ConfigError

if TYPE_CHECKING:
    from ragcli import Index
    from ragcli.application.scopes import ScopeOptions
    from ragcli.config import Config

_FORMATS = (".md", ".json")


def check_reports(reports: Sequence[Path]) -> None:
    """Raises ConfigError for a report that a matrix cannot be written as, or that cannot be written at all."""
    for path in reports:
        if path.suffix.lower() not in _FORMATS:
            raise ConfigError(f"--report {path}: a matrix is written as {' or '.join(_FORMATS)}")
        check_target("--report", path)


def evaluate_matrix(
    run: Invocation,
    index: Index,
    file: Path,
    golden: Path,
    answers: bool,
    scope: ScopeOptions,
    *,
    overrides: dict[str, Any],
    reports: Sequence[Path],
) -> None:
    """Run every row, print the table, write the reports."""
    from ragcli.evaluate.matrix import columns, table, to_json
    from ragcli.evaluate.reports.markdown import MARKER, markdown_table
    from ragcli.evaluate.run import write_text

    check_reports(reports)
    if index.config.eval.fail_under:
        run.output.notice("eval.fail_under is not applied: --matrix compares its rows and gates none of them")

    def configure(changes: dict[str, object]) -> Config:
        return run.config(overrides, variant=changes, origin=str(file))

    with progress(run) as show:
        spec, results = index.evaluate_matrix(
            file, golden, configure=configure, answers=answers, progress=show, **scope
        )
    head, rows = table(results, columns(results, spec))
    content = to_json(results)
    for path in reports:
        in_markdown = path.suffix.lower() == ".md"
        written = f"{MARKER}\n{markdown_table(head, rows)}" if in_markdown else json.dumps(content, indent=1)
        write_text(path, written + "\n")
    numeric = {"chunks", "ms a question", "seconds to build", "tokens"}
    names = [f"{name}>" if name in numeric else name for name in head]
    run.output.result(content, lambda: run.output.table(names, rows))
