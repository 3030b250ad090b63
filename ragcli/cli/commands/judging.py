"""``rag eval judge-check``: a judge against human labels; what it showed is printed with every judged result."""

from __future__ import annotations

from pathlib import Path

from ragcli.cli.invocation import Invocation
from ragcli.cli.progress import progress
from ragcli.codec import encode
from ragcli.display import one_line
from ragcli.errors import ConfigError


def check(run: Invocation, labelled: Path | None, *, repeats: int) -> None:
    """Measure the configured judge on a labelled file, print it, and keep the line for later runs."""
    if labelled is None:
        raise ConfigError("judge-check needs a file of judged answers", hint="rag eval judge-check LABELLED.jsonl")
    with progress(run) as show:
        found = run.index_with().check_judge(labelled, repeats=repeats, progress=show)
    run.output.result({"schema": "rag.judge-check/1", **encode(found)}, one_line(found.line))
