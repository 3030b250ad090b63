"""Attacks on ragcli itself, one module a kind: seeded, bounded, and run against this machine alone.

A module of this package is a kind. It has ``run(tries, seed) -> Outcome`` and needs no registration: ``python -m
tests.attack`` finds it by its file name. What takes under two minutes also runs as a test, with fewer tries.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Outcome:
    """What one kind of attack came to: how often it was tried, and each try that got through, in a line."""

    kind: str
    tries: int
    failures: list[str] = field(default_factory=list)


class Attack(Protocol):
    """What a module of this package offers."""

    def run(self, tries: int, seed: int) -> Outcome:
        """Try about ``tries`` times; the same ``seed`` gives the same tries."""
        ...
