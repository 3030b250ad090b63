"""The gate: thresholds, labels that left the corpus, and regressions against a kept run, as one verdict.

The exit code, the printed line and every report are derived from the one ``GateVerdict``, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ragcli.errors import ConfigError, ExitCode
from ragcli.evaluate.losses import ANSWER_STAGES
from ragcli.evaluate.measuring.bootstrap import Bootstrap, Difference, differences
from ragcli.evaluate.measuring.measures import is_ranking_measure
from ragcli.evaluate.run import CaseResult, EvalRun

LOWER_IS_BETTER = frozenset({"false_answers", "false_declines"})
WATCHED = (
    "nDCG@10",
    "R@5",
    "RR@10",
    "contains",
    "support_rate",
    "citation_precision",
    "abstention_precision",
    "abstention_recall",
    "false_declines",
)
"""Measures whose drop fails a comparison, with those that have a threshold; the rest is shown."""


def judge_run(
    run: EvalRun,
    *,
    fail_under: Mapping[str, float],
    baseline: EvalRun | None = None,
    baseline_name: str = "",
    allow_other: bool = False,
    tolerance: float = 0.01,
    how: Bootstrap | None = None,
) -> GateVerdict:
    """The verdict over a run.

    Raises ConfigError for a threshold on an unknown measure, and for a baseline made from another golden set or corpus
    unless ``allow_other``.
    """
    check_thresholds(fail_under, list(run.measures))
    checks = [_threshold(run, name, wanted) for name, wanted in fail_under.items()]
    if fail_under or baseline is not None:
        checks += _labels(run)
    if baseline is None:
        return GateVerdict(tuple(checks))
    if not allow_other:
        check_comparable(baseline, baseline_name, golden_digest=run.golden_digest, corpus=run.corpus)
    comparison = compare(run, baseline, baseline_name, fail_under, how or Bootstrap())
    watched = [item for item in comparison.differences if _is_watched(item.measure, fail_under)]
    checks += [_regression(item, tolerance) for item in watched if item.old is not None]
    return GateVerdict(tuple(checks), comparison)


def parse_threshold(text: str) -> tuple[str, float]:
    """``R@5=0.9`` as measure and value. Raises ConfigError for another form."""
    name, equals, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not equals or not name.strip() or not 0 <= number <= 1:
        raise ConfigError(f"--fail-under {text!r}: expected MEASURE=VALUE with a value from 0 to 1, such as R@5=0.9")
    return name.strip(), number


def is_judged(measure: str) -> bool:
    """Whether a model's opinion is in the measure: such measures warn and never fail."""
    return measure.startswith("judge_")


def check_comparable(baseline: EvalRun, name: str, *, golden_digest: str, corpus: str) -> None:
    """Raises ConfigError with both values when the baseline did not ask these questions of this corpus."""
    for what, old, new in (
        ("golden set", baseline.golden_digest, golden_digest),
        ("corpus", baseline.corpus, corpus),
    ):
        if old != new:
            raise ConfigError(
                f"baseline {name} was made from another {what}: {old or 'unknown'}, now {new or 'unknown'}",
                hint="make a new baseline with --save, or compare the shared cases with --allow-other-baseline",
            )


def compare(run: EvalRun, baseline: EvalRun, name: str, fail_under: Mapping[str, float], how: Bootstrap) -> Comparison:
    """Differences of every shared measure over the shared cases. Watched measures have intervals that hold together."""
    old, new = {case.id: case for case in baseline.per_case}, {case.id: case for case in run.per_case}
    shared = [case_id for case_id in new if case_id in old]
    if not shared:
        raise ConfigError(f"baseline {name} shares no case with this run")
    rows = [old[i].measures for i in shared], [new[i].measures for i in shared]
    names = [measure for measure in run.measures if measure in baseline.measures]
    watched = [measure for measure in names if _is_watched(measure, fail_under)]
    joint = {item.measure: item for item in differences(*rows, watched, how, together=True)}
    alone = {item.measure: item for item in differences(*rows, [n for n in names if n not in joint], how)}
    alike = _answered(baseline) is _answered(run)
    flips = [_flip(old[i], new[i], alike) for i in shared]
    return Comparison(
        baseline=name,
        cases=len(shared),
        only_old=len(old) - len(shared),
        only_new=len(new) - len(shared),
        differences=tuple({**joint, **alone}[measure] for measure in names),
        flips=tuple(
            sorted(
                (flip for flip in flips if (flip.was is None) != (flip.now is None)),
                key=lambda flip: (not flip.worse, flip.id),
            )
        ),
    )


def is_regression(item: Difference, tolerance: float) -> bool:
    """A drop larger than the tolerance whose whole interval lies below zero (above, where lower is better)."""
    if item.difference is None or item.low is None or item.high is None:
        return False
    if item.measure in LOWER_IS_BETTER:
        return item.difference > tolerance and item.low > 0
    return item.difference < -tolerance and item.high < 0


def _is_watched(measure: str, fail_under: Mapping[str, float]) -> bool:
    return measure in WATCHED or measure in fail_under or is_judged(measure)


def check_thresholds(fail_under: Mapping[str, float], measured: Sequence[str]) -> None:
    """Raises ConfigError for a threshold on a measure that is not ``measured``: before a run, not after it."""
    for name in fail_under:
        if name in LOWER_IS_BETTER:
            raise ConfigError(
                f"--fail-under {name}: lower is better for it; put the threshold on the measure it complements"
            )
        if name not in measured:
            known = ", ".join(measure for measure in measured if measure not in LOWER_IS_BETTER)
            hint = "set eval.cutoffs to the k that you want" if is_ranking_measure(name) else ""
            raise ConfigError(f"--fail-under {name}: not measured in this run; measured: {known}", hint=hint)


def _threshold(run: EvalRun, name: str, wanted: float) -> GateCheck:
    estimate = run.measures[name]
    if estimate.mean is None:
        return GateCheck("threshold", name, False, f"{name} has no value: none of the {run.cases} cases defines it")
    message = f"{name} is {estimate.mean:.4f}, wanted at least {wanted:g}"
    return GateCheck("threshold", name, estimate.mean >= wanted - 1e-12, message, soft=is_judged(name))


def _labels(run: EvalRun) -> list[GateCheck]:
    gone = {kind: run.faults.get(kind, 0) for kind in ("not_in_corpus", "not_in_text")}
    if not any(gone.values()):
        return [GateCheck("labels", "labels", True, "every label is in the corpus and in its parsed text")]
    words = {"not_in_corpus": "the corpus", "not_in_text": "the parsed text"}
    return [
        GateCheck(
            "labels", kind, False, f"{count} case{'s' if count > 1 else ''} with a label no longer in {words[kind]}"
        )
        for kind, count in gone.items()
        if count
    ]


def _regression(item: Difference, tolerance: float) -> GateCheck:
    name, soft = item.measure, is_judged(item.measure)
    if item.new is None or item.difference is None:
        return GateCheck("regression", name, False, f"{name} was {item.old:.4f} and has no value now", soft=soft)
    message = (
        f"{name} went from {item.old:.4f} to {item.new:.4f}: {item.difference:+.4f} "
        f"({item.low:+.4f} to {item.high:+.4f}), tolerance {tolerance:g}"
    )
    return GateCheck("regression", name, not is_regression(item, tolerance), message, soft=soft)


def _answered(run: EvalRun) -> bool:
    return any(case.found is not None for case in run.per_case)


def _flip(old: CaseResult, new: CaseResult, alike: bool) -> Flip:
    """What became of a case; of runs that are not ``alike``, one with answers and one without, up to its retrieval."""
    was, now = (None if not alike and case.lost_at in ANSWER_STAGES else case.lost_at for case in (old, new))
    return Flip(new.id, new.question, was, now)


# What a gate found, as one value: the exit code, the printed line and every report are derived from it.

CheckKind = Literal["threshold", "labels", "regression"]


@dataclass(frozen=True, slots=True)
class GateCheck:
    """One thing the gate looked at. ``soft`` checks rest on a model's opinion: they warn and never fail."""

    kind: CheckKind
    measure: str
    passed: bool
    message: str
    soft: bool = False

    def __str__(self) -> str:
        sound = "no " if self.passed and self.kind == "regression" else ""
        return f"{sound}{self.kind}: {self.message}"


@dataclass(frozen=True, slots=True)
class Flip:
    """A question that was answered and now is lost, or the other way round; None is the stage of a case not lost."""

    id: str
    question: str
    was: str | None
    now: str | None

    @property
    def worse(self) -> bool:
        """Whether the question was right before."""
        return self.was is None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs over the cases they share, which were measured by both."""

    baseline: str
    cases: int
    only_old: int
    only_new: int
    differences: tuple[Difference, ...]
    flips: tuple[Flip, ...]


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """What the gate found. Without a check nothing was asked for and nothing can fail."""

    checks: tuple[GateCheck, ...] = ()
    comparison: Comparison | None = None

    @property
    def asked(self) -> bool:
        """Whether a threshold or a baseline was given."""
        return bool(self.checks) or self.comparison is not None

    @property
    def failures(self) -> tuple[GateCheck, ...]:
        """The checks that fail the gate."""
        return tuple(check for check in self.checks if not check.passed and not check.soft)

    @property
    def warnings(self) -> tuple[GateCheck, ...]:
        """The checks that did not pass and only warn."""
        return tuple(check for check in self.checks if not check.passed and check.soft)

    @property
    def passed(self) -> bool:
        """True when nothing failed."""
        return not self.failures

    @property
    def exit_code(self) -> ExitCode:
        """The code the process ends with."""
        return ExitCode.OK if self.passed else ExitCode.GATE

    @property
    def line(self) -> str:
        """The verdict in one line."""
        if not self.asked:
            return "no gate was asked for"
        count = len(self.failures)
        return f"FAILED: {count} of {len(self.checks)} checks" if count else f"PASSED: {len(self.checks)} checks"
