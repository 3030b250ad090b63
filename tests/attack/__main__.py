"""``python -m tests.attack [NAME…] [--tries N] [--seed S]``: runs kinds of attack and prints kind, tries, failures.

Without a name every kind is run. The exit code is 1 when something got through.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import time
from typing import cast

import tests.attack
from tests.attack import Attack, Outcome

SHOWN = 20
"""How many failures of a kind are printed; the count always stands in the table."""


def kinds() -> list[str]:
    """The names of the attacks, by the modules that stand in this folder."""
    names = (module.name for module in pkgutil.iter_modules(tests.attack.__path__) if module.name != "__main__")
    return sorted(name for name in names if hasattr(attack(name), "run"))


def attack(name: str) -> Attack:
    return cast(Attack, importlib.import_module(f"tests.attack.{name}"))


def arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(kinds())}; all of them without")
    parser.add_argument("--tries", type=int, default=1000, help="about how many tries a kind (default 1000)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same tries (default 1)")
    asked = parser.parse_args(given)
    if unknown := sorted(set(asked.names) - set(kinds())):
        parser.error(f"no attack is called {', '.join(unknown)}; there are {', '.join(kinds())}")
    return asked


def main(given: list[str]) -> int:
    asked = arguments(given)
    outcomes: list[Outcome] = []
    print(f"{'kind':<24} {'tries':>8} {'failures':>9} {'seconds':>8}")
    for name in asked.names or kinds():
        started = time.monotonic()
        outcome = attack(name).run(asked.tries, asked.seed)
        outcomes.append(outcome)
        seconds = time.monotonic() - started
        print(f"{outcome.kind:<24} {outcome.tries:>8} {len(outcome.failures):>9} {seconds:>8.1f}", flush=True)
        for failure in outcome.failures[:SHOWN]:
            print(f"    {failure}")
    return 1 if any(outcome.failures for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
