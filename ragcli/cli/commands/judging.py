"""``rag eval judge-check``: a judge against human labels; what it showed is printed with every judged result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli import wiring
from ragcli.cli.invocation import Invocation
from ragcli.cli.output import one_line
from ragcli.cli.progress import progress
from ragcli.codec import encode
from ragcli.config import Config
from ragcli.errors import ConfigError

if TYPE_CHECKING:
    from ragcli.pipelines.evaluating.judge import Judge


def check(run: Invocation, labelled: Path | None, *, repeats: int) -> None:
    """Measure the configured judge on a labelled file, print it, and keep the line for later runs."""
    from ragcli.evaluate.run import write_text
    from ragcli.pipelines.evaluating.judge import judge_check

    if labelled is None:
        raise ConfigError("judge-check needs a file of judged answers", hint="rag eval judge-check LABELLED.jsonl")
    config = run.config()
    judge = load(config, repeats)
    with progress(run) as show:
        found, _ = judge_check(labelled, judge, progress=show)
    write_text(_kept(config), json.dumps(_known(config) | {judge.name: found.line}, ensure_ascii=False) + "\n")
    run.output.result({"schema": "rag.judge-check/1", **encode(found)}, one_line(found.line))


def load(config: Config, repeats: int) -> Judge:
    """The configured judge, with its agreement where it was measured."""
    name = wiring.load_judge(config, repeats=repeats).name
    return wiring.load_judge(config, repeats=repeats, agreement=_known(config).get(name, ""))


def _kept(config: Config) -> Path:
    return config.index_path / "runs" / "judges.json"


def _known(config: Config) -> dict[str, str]:
    try:
        content = json.loads(_kept(config).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(line) for name, line in content.items()} if isinstance(content, dict) else {}
