"""How far a judge agrees with people: a labelled file, its rulings, and the numbers printed beside judged results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragcli.errors import GoldenError, reason
from ragcli.regular_files import read_named

SUPPORTED = "supported"


@dataclass(frozen=True, slots=True)
class Labelled:
    """One response with the context it should follow from, and whether people say that it does."""

    id: str
    context: str
    response: str
    supported: bool


@dataclass(frozen=True, slots=True)
class Agreement:
    """Rulings against labels. Precision and recall are of *supported*; None where nothing was ruled or labelled so.

    ``kappa`` is Cohen's, agreement beyond chance; None when chance alone explains everything.
    """

    judge: str
    file: str
    n: int
    accuracy: float
    balanced_accuracy: float | None
    precision: float | None
    recall: float | None
    kappa: float | None
    unreadable: int = 0

    @property
    def line(self) -> str:
        """One line, as it is printed with every judged result."""
        kappa = "undefined" if self.kappa is None else f"{self.kappa:.2f}"
        return f"{self.judge}: agrees with {self.accuracy:.0%} of {self.n} human labels in {self.file}, kappa {kappa}"


def load_labelled(path: Path, limit: int | None = None) -> list[Labelled]:
    """Rows with ``context``, ``response`` and ``label``; every label but ``supported`` means that it is not.

    With ``limit`` every n-th row is taken, so that the sample spans the file. Raises GoldenError naming the line.
    """
    try:
        lines = read_named(path).decode("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise GoldenError(f"cannot read labelled file {path}: {reason(error)}") from error
    found = [_row(line, f"{path}:{number}") for number, line in enumerate(lines, start=1) if line.strip()]
    if not found:
        raise GoldenError(f"{path}: holds no labelled row")
    if limit is None or limit >= len(found):
        return found
    return [found[place * len(found) // limit] for place in range(limit)]


def agreement(rulings: Sequence[bool | None], rows: Sequence[Labelled], *, judge: str, file: str) -> Agreement:
    """The numbers for rulings in the order of ``rows``; an unreadable reply (None) counts as not supported."""
    pairs = [(bool(ruling), row.supported) for ruling, row in zip(rulings, rows, strict=True)]
    both = sum(ruled and label for ruled, label in pairs)
    neither = sum(not ruled and not label for ruled, label in pairs)
    ruled_so, labelled_so, n = sum(ruled for ruled, _ in pairs), sum(label for _, label in pairs), len(pairs)
    accuracy = (both + neither) / n
    chance = (ruled_so * labelled_so + (n - ruled_so) * (n - labelled_so)) / (n * n)
    balanced = (both / labelled_so + neither / (n - labelled_so)) / 2 if 0 < labelled_so < n else None
    return Agreement(
        judge=judge,
        file=file,
        n=n,
        accuracy=accuracy,
        balanced_accuracy=balanced,
        precision=both / ruled_so if ruled_so else None,
        recall=both / labelled_so if labelled_so else None,
        kappa=(accuracy - chance) / (1 - chance) if chance < 1 else None,
        unreadable=sum(ruling is None for ruling in rulings),
    )


def _row(line: str, where: str) -> Labelled:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise GoldenError(f"{where}: not valid JSON: {error}") from error
    keys = ("context", "response", "label")
    if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in keys):
        raise GoldenError(f'{where}: expected "context", "response" and "label" as texts')
    return Labelled(str(row.get("id") or where), row["context"], row["response"], row["label"] == SUPPORTED)
