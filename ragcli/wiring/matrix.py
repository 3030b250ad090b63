"""A golden set over several settings, each on the index that they ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import Config, parse_yaml
from ragcli.errors import ConfigError
from ragcli.wiring.evaluating import evaluate
from ragcli.wiring.models import load_embedder
from ragcli.wiring.reading import Stages, index_folder

if TYPE_CHECKING:
    from ragcli.evaluate.golden_sets.file import GoldenSet
    from ragcli.evaluate.matrix import MatrixResult, MatrixSpec
    from ragcli.evaluate.run import EvalRun
    from ragcli.interfaces import Progress
    from ragcli.records import Scope


def read_matrix(path: Path) -> MatrixSpec:
    """The rows of a matrix file. Raises ConfigError when it cannot be read or is malformed."""
    from ragcli.evaluate.matrix import read_matrix as read

    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from error
    return read(parse_yaml(text, str(path), unique=True), str(path))


def run_matrix(
    spec: MatrixSpec,
    golden: GoldenSet,
    scope: Scope,
    *,
    base: Config,
    configure: Callable[[dict[str, object]], Config],
    answers: bool,
    progress: Progress | None = None,
) -> list[MatrixResult]:
    """Every row of a matrix, measured and compared with the first."""
    from ragcli.pipelines.evaluating.matrix import run_matrix as run_rows

    def run(config: Config) -> EvalRun:
        stages = Stages(config)
        try:
            return evaluate(golden, stages, scope, answers=answers)
        finally:
            stages.engine.close()

    with index_folder(base).open() as engine:
        return run_rows(
            spec, base=base, configure=configure, engine=engine, embedder=load_embedder, run=run, progress=progress
        )
