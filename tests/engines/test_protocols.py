"""Each store has everything that the protocols ask for, under the same names of arguments."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest

from ragcli import interfaces
from ragcli.interfaces import Store
from tests.index.corpus import publish_to
from tests.index.records import document


def wanted(protocol: type) -> Iterator[tuple[str, list[str] | None]]:
    """The name of every member, with its parameters when it is a method."""
    for name, member in vars(protocol).items():
        if isinstance(member, property):
            yield name, None
        elif inspect.isfunction(member) and (not name.startswith("_") or name == "__iter__"):
            yield name, [key for key in inspect.signature(member).parameters if key != "self"]


def missing(protocol: type, found: object) -> list[str]:
    problems = []
    for name, parameters in wanted(protocol):
        member = getattr(found, name, None)
        if member is None:
            problems.append(f"{protocol.__name__}.{name} is missing")
        elif parameters is not None and (own := list(inspect.signature(member).parameters)) != parameters:
            problems.append(f"{protocol.__name__}.{name} takes {own}, not {parameters}")
    return problems


def test_every_part_of_a_store_is_there(store: Store) -> None:
    publish_to(store, [document("a.md")])
    found = missing(interfaces.Store, store) + missing(interfaces.Engine, store.open())
    found += missing(interfaces.TraceLog, store.traces) + missing(interfaces.SessionLog, store.sessions)
    with store.writer() as writer:
        found += missing(interfaces.StoreWriter, writer) + missing(interfaces.Staging, writer.staging)
        found += missing(interfaces.Notes, writer.staging.notes) + missing(interfaces.Caches, writer.caches)
        for name in ("documents", "vectors", "contexts"):
            protocol = getattr(interfaces, f"{name[:-1].capitalize()}Cache")
            found += missing(protocol, getattr(writer.caches, name))
    assert not found


def test_a_lack_is_seen() -> None:
    class Half:
        def current(self, extra: str) -> None: ...

    problems = missing(interfaces.Store, Half())
    assert "Store.open is missing" in problems
    assert "Store.current takes ['extra'], not []" in problems


@pytest.mark.parametrize("name", ["Store", "StoreWriter", "Staging", "Engine"])
def test_the_protocols_speak_of_no_place_on_disk(name: str) -> None:
    """A path is that of a source file alone: of a root."""
    protocol = getattr(interfaces, name)
    named = {
        member
        for member, value in vars(protocol).items()
        if inspect.isfunction(value) and any("Path" in str(note) for note in value.__annotations__.values())
    }
    assert named <= {"add_root", "move_root"}
