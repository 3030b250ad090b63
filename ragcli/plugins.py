"""Parts that other packages bring: found by entry point, looked up when a setting names one, loaded when it is used.

A part is what is installed in this environment; a setting can only name it, and only a setting of the user's own may
(``config.trust``). ragcli's own parts go before any other of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from ragcli.errors import ConfigError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

EMBEDDERS = "ragcli.embedders"
RERANKERS = "ragcli.rerankers"
GENERATORS = "ragcli.generators"
PARSERS = "ragcli.parsers"
ENGINES = "ragcli.engines"
GROUPS = (EMBEDDERS, RERANKERS, GENERATORS, PARSERS, ENGINES)

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Installed:
    """A part as its package declares it."""

    name: str
    package: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} ({self.package} {self.version})"


class Registry(Generic[Part]):
    """The parts that one setting can name: ragcli's own, and what is installed for the group of entry points."""

    def __init__(self, group: str, setting: str, own: Mapping[str, Part]) -> None:
        self.group = group
        self.setting = setting
        self.own = own

    def __getitem__(self, name: str) -> Part:
        """The part of that name. Raises ConfigError, naming those there are, when there is none or it cannot load."""
        if name in self.own:
            return self.own[name]
        return cast(Part, load(self.group, name, self.setting, tuple(self.own)))


def installed(group: str) -> list[Installed]:
    """What packages of this environment declare for a group, sorted; nothing of them is loaded."""
    found = {Installed(point.name, *_package(point)) for point in _points(group)}
    return sorted(found, key=lambda item: (item.name, item.package))


def check(group: str, name: str, where: str, own: tuple[str, ...]) -> None:
    """Raises ConfigError, naming those there are, for a name that is neither ragcli's own nor installed."""
    if name not in own and not any(point.name == name for point in _points(group)):
        others = [str(item) for item in installed(group)]
        known = ", ".join([*own, *others]) or "none"
        raise ConfigError(f"{where} is {name!r}, expected one of {known}", hint=f"a package brings others as {group}")


def load(group: str, name: str, where: str, own: tuple[str, ...] = ()) -> Any:
    """The object that an installed package declares under a name.

    Raises ConfigError when there is none, when two packages bring it, or when it cannot be imported.
    """
    check(group, name, where, own)
    points = {_package(point): point for point in _points(group) if point.name == name}
    if len(points) > 1:
        packages = " and ".join(sorted(package for package, _ in points))
        raise ConfigError(f"{where}: {name!r} comes with {packages}", hint="uninstall one of them")
    ((package, version), point) = next(iter(points.items()))
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"{where}: {name!r} of {package} {version} cannot be loaded: {error}", hint=f"pip install -U {package}"
        ) from error


def _points(group: str) -> list[EntryPoint]:
    from importlib.metadata import entry_points

    return list(entry_points(group=group))


def _package(point: EntryPoint) -> tuple[str, str]:
    found = point.dist
    return (found.name, found.version) if found is not None else ("an unknown package", "")
