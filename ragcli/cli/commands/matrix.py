"""``rag eval --matrix``: the golden set over several settings, as one table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragcli import wiring
from ragcli.cli.invocation import Invocation
from ragcli.cli.progress import progress
from ragcli.cli.targets import check_target
from ragcli.errors import ConfigError

if TYPE_CHECKING:
    from ragcli.config import Config
    from ragcli.evaluate.golden_sets.file import GoldenSet
    from ragcli.evaluate.matrix import MatrixResult
    from ragcli.records import Scope

_FORMATS = (".md", ".json")


def check_reports(reports: Sequence[Path]) -> None:
    """Raises ConfigError for a report that a matrix cannot be written as, or that cannot be written at all."""
    for path in reports:
        if path.suffix.lower() not in _FORMATS:
            raise ConfigError(f"--report {path}: a matrix is written as {' or '.join(_FORMATS)}")
        check_target("--report", path)


@dataclass(frozen=True)
class Asked:
    """What every row is asked: the golden set, in which scope, and whether answers are wanted."""

    golden: GoldenSet
    scope: Scope
    answers: bool


def evaluate_matrix(
    run: Invocation, file: Path, asked: Asked, *, overrides: dict[str, Any], reports: Sequence[Path]
) -> None:
    """Run every row, print the table, write the reports."""
    from ragcli.evaluate.matrix import columns, table, to_json
    from ragcli.evaluate.reports.markdown import markdown_table
    from ragcli.evaluate.run import write_text

    check_reports(reports)
    spec = wiring.read_matrix(file)

    def configure(changes: dict[str, object]) -> Config:
        index = changes.pop("index.path", None)  # from the run: no row of the file may name one
        given = overrides if index is None else {**overrides, "index.path": index}
        return run.config(given, variant=changes, origin=str(file))

    with progress(run) as show:
        results: list[MatrixResult] = wiring.run_matrix(
            spec,
            asked.golden,
            asked.scope,
            base=run.config(overrides),
            configure=configure,
            answers=asked.answers,
            progress=show,
        )
    head, rows = table(results, columns(results, spec))
    content = to_json(results)
    for path in reports:
        written = markdown_table(head, rows) if path.suffix.lower() == ".md" else json.dumps(content, indent=1)
        write_text(path, written + "\n")
    numeric = {"chunks", "ms a question", "seconds to build", "tokens"}
    names = [f"{name}>" if name in numeric else name for name in head]
    run.output.result(content, lambda: run.output.table(names, rows))
