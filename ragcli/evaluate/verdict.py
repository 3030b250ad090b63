"""What a gate found, as one value: the exit code, the printed line and every report are derived from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragcli.errors import ExitCode
from ragcli.evaluate.bootstrap import Difference

CheckKind = Literal["threshold", "labels", "regression"]


@dataclass(frozen=True, slots=True)
class Check:
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
class Verdict:
    """What the gate found. Without a check nothing was asked for and nothing can fail."""

    checks: tuple[Check, ...] = ()
    comparison: Comparison | None = None

    @property
    def asked(self) -> bool:
        """Whether a threshold or a baseline was given."""
        return bool(self.checks) or self.comparison is not None

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that fail the gate."""
        return tuple(check for check in self.checks if not check.passed and not check.soft)

    @property
    def warnings(self) -> tuple[Check, ...]:
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
