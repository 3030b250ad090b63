"""Readers beside a publisher, over every store: none may see a wrong, a partial or a closed hit.

Edition n of the corpus is a function of n and the seed: which documents there are, which of them are closed, and that
every text carries n. A reader opens whatever is current, asks both legs under groups of its own, and compares every hit
with that edition. It counts one try a reading; the publisher goes on until so many have been made.
"""

from __future__ import annotations

import contextlib
import random
import tempfile
import threading
from pathlib import Path

from ragcli.interfaces import Store
from ragcli.records import Document, Scope
from tests.attack import Outcome
from tests.engines.stores import STORES, ids
from tests.index.corpus import publish_to, vector
from tests.index.records import document

READERS = 16
_NAMES = [f"d{number:02}.md" for number in range(30)]


def edition(number: int, seed: int) -> list[Document]:
    """The documents of edition ``number``."""
    chance = random.Random(f"{seed} {number}")
    return [
        document(name, f"edition {number} of {name}", acl=("hr",) if chance.random() < 0.4 else ())
        for name in sorted(chance.sample(_NAMES, chance.randint(5, len(_NAMES))))
    ]


class _Readings:
    """What the readers of one store have done so far."""

    def __init__(self, store: Store, seed: int, wanted: int) -> None:
        self.store, self.seed, self.wanted = store, seed, wanted
        self.done = 0
        self.failures: list[str] = []
        self._counting = threading.Lock()

    @property
    def ended(self) -> bool:
        return self.done >= self.wanted or bool(self.failures)

    def read(self, reader: int) -> None:
        """Read until enough has been read; what fails ends it for all."""
        groups, last = (("hr",) if reader % 2 else ()), 0
        while not self.ended:
            try:
                last = self._once(groups, last)
            except Exception as error:  # whatever a reader meets is a failure of the store
                self.failures.append(f"reader {reader}: {type(error).__name__}: {error}")
            with self._counting:
                self.done += 1

    def _once(self, groups: tuple[str, ...], last: int) -> int:
        with contextlib.closing(self.store.open()) as engine:
            allowed = engine.allowed(Scope(groups=groups))
            number = int(engine.version[1:])
            open_ones = [item for item in edition(number, self.seed) if not item.metadata.acl or groups]
            expected = {f"{item.doc_id}#1": item.text for item in open_ones}
            depth = len(_NAMES) + 5
            found = {
                "lexical": ids(engine.lexical("edition", depth, allowed)),
                "dense": ids(engine.dense(vector("edition"), depth, allowed)[0]),
            }
            for leg, names in found.items():
                if sorted(names) != sorted(expected) or number < last:
                    self.failures.append(f"{leg} of v{number} after v{last}, {groups}: {names}")
                elif {chunk.chunk_id: chunk.text for chunk in engine.chunks(names)} != expected:
                    self.failures.append(f"{leg} of v{number}, {groups}: texts of another edition")
        return number


def over(store: Store, tries: int, seed: int) -> Outcome:
    """Sixteen readers beside one publisher, over one store."""
    publish_to(store, edition(1, seed), keep_versions=1)
    readings = _Readings(store, seed, tries)
    readers = [threading.Thread(target=readings.read, args=(number,)) for number in range(READERS)]
    for reader in readers:
        reader.start()
    number = 1
    while not readings.ended:
        number += 1
        publish_to(store, edition(number, seed), keep_versions=1)
    for reader in readers:
        reader.join()
    return Outcome("store_readers", readings.done, readings.failures)


def run(tries: int, seed: int) -> Outcome:
    """Over every store in turn."""
    done, failures = 0, []
    for kind in sorted(STORES):
        with tempfile.TemporaryDirectory() as folder:
            outcome = over(STORES[kind](Path(folder) / kind), tries, seed)
        done += outcome.tries
        failures += [f"{kind}: {failure}" for failure in outcome.failures]
    return Outcome("store_readers", done, failures)
