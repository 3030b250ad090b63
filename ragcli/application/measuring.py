"""What ``Index.evaluate`` and its kin put together: the gate, the judge, a matrix of settings, the injection suite."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.application.models import ConfiguredModels
from ragcli.application.results import Evaluated
from ragcli.config import Config, parse_yaml
from ragcli.errors import ConfigError, reason
from ragcli.pipelines.asking.reader import Reader
from ragcli.regular_files import read_named

if TYPE_CHECKING:
    from ragcli.evaluate.golden_sets.file import GoldenSet
    from ragcli.evaluate.judge.agreement import Agreement
    from ragcli.evaluate.matrix import MatrixResult, MatrixSpec
    from ragcli.evaluate.run import EvalRun
    from ragcli.interfaces import Progress, Store
    from ragcli.pipelines.evaluating.judge import Judge
    from ragcli.records import Scope

_JUDGES = "judges.json"


@dataclass(frozen=True)
class Gate:
    """What a run is held against: thresholds by measure, and a kept run."""

    thresholds: Mapping[str, float]
    baseline: Path | None = None
    allow_other: bool = False


def measure(
    golden: GoldenSet,
    reader: Reader,
    scope: Scope,
    *,
    answers: bool,
    gate: Gate,
    judge: Judge | None,
    progress: Progress | None,
) -> Evaluated:
    """A golden set through the reader, with its verdict. Raises ConfigError for a gate that cannot be decided."""
    from ragcli.evaluate.gate import judge_run
    from ragcli.evaluate.measuring.bootstrap import Bootstrap
    from ragcli.evaluate.run import load_run
    from ragcli.pipelines.evaluating.reader_steps import check_gate, evaluate_reader

    before = load_run(gate.baseline) if gate.baseline is not None else None
    name = str(gate.baseline or "")
    check_gate(
        golden,
        reader,
        scope,
        answers=answers,
        judged=judge is not None,
        fail_under=gate.thresholds,
        baseline=None if gate.allow_other else before,
        name=name,
    )
    found = evaluate_reader(golden, reader, scope, answers=answers, judge=judge, progress=progress)
    settings = reader.config.eval
    verdict = judge_run(
        found,
        fail_under=gate.thresholds,
        baseline=before,
        baseline_name=name,
        allow_other=gate.allow_other,
        tolerance=settings.tolerance,
        how=Bootstrap(settings.confidence, settings.resamples, settings.seed),
    )
    return Evaluated(found, verdict, before)


def read_matrix(path: Path) -> MatrixSpec:
    """The rows of a matrix file. Raises ConfigError when it cannot be read or is malformed."""
    from ragcli.evaluate.matrix import read_matrix as read

    try:
        text = read_named(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {reason(error)}") from error
    return read(parse_yaml(text, str(path), unique=True), str(path))


def run_matrix(
    spec: MatrixSpec,
    golden: GoldenSet,
    scope: Scope,
    *,
    base: Config,
    store: Store,
    configure: Callable[[dict[str, object]], Config],
    answers: bool,
    progress: Progress | None = None,
) -> list[MatrixResult]:
    """Every row of a matrix, measured and compared with the first."""
    from ragcli.pipelines.evaluating.reader_steps import evaluate_reader
    from ragcli.pipelines.evaluating.variants import run_matrix as run_rows

    def run(config: Config, at: Store) -> EvalRun:
        with closing(Reader(config, store=at, models=ConfiguredModels(config))) as reader:
            return evaluate_reader(golden, reader, scope, answers=answers)

    with closing(store.open()) as engine:
        return run_rows(
            spec,
            base=base,
            configure=configure,
            store=store,
            engine=engine,
            embedder=lambda config: ConfiguredModels(config).embedder(),
            run=run,
            progress=progress,
        )


def load_judge(config: Config, store: Store, *, repeats: int = 1) -> Judge:
    """The configured judge, with its agreement with people where that was measured."""
    name = _judge(config, repeats).name
    return _judge(config, repeats, _agreements(store).get(name, ""))


def check_judge(
    labelled: Path, config: Config, store: Store, *, repeats: int = 1, progress: Progress | None = None
) -> Agreement:
    """Measure the configured judge on a labelled file, and keep what it showed for later runs."""
    from ragcli.pipelines.evaluating.judge import judge_check

    judge = load_judge(config, store, repeats=repeats)
    found, _ = judge_check(labelled, judge, progress=progress)
    store.put_note(_JUDGES, json.dumps(_agreements(store) | {judge.name: found.line}, ensure_ascii=False) + "\n")
    return found


def _judge(config: Config, repeats: int, agreement: str = "") -> Judge:
    """The model of the configured provider as a judge; offline, the deterministic support check stands in."""
    from ragcli.answer.check.support import check
    from ragcli.pipelines.evaluating.judge import model_judge, rule_judge

    if config.answer.by_model:
        model = ConfiguredModels(config).text_model()
        return model_judge(model.name, model.complete, repeats=repeats, agreement=agreement)

    def supports(sentence: str, evidence: str) -> bool:
        return check(sentence, evidence).support in ("verbatim", "carried")

    return rule_judge(supports, agreement=agreement)


def _agreements(store: Store) -> dict[str, str]:
    try:
        content = json.loads(store.note(_JUDGES) or "{}")
    except ValueError:
        return {}
    return {str(name): str(line) for name, line in content.items()} if isinstance(content, dict) else {}
