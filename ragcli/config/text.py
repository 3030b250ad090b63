"""Settings as YAML text: read safely, and written with a comment for every key."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragcli.config.sections import SECTIONS, plain
from ragcli.errors import ConfigError

if TYPE_CHECKING:
    import yaml

_MAX_VALUES = 100_000


def parse_yaml(text: str, where: str, *, unique: bool = False) -> dict[str, Any]:
    """A YAML mapping; ``{}`` for empty text. Raises ConfigError with ``where`` and the line.

    A timestamp that names no day (``2026-02-31``) stays text. References that repeat a value until the whole is huge,
    or that lead back to themselves, are refused, and with ``unique`` a key that stands twice.
    """
    import yaml

    try:
        content = yaml.load(text, _loader(unique))
        if _size(content, {}) > _MAX_VALUES:
            raise ConfigError(
                f"{where}: not valid YAML: more than {_MAX_VALUES} values once its references are followed"
            )
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise ConfigError(f"{where}{line}: not valid YAML: {problem}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{where}: not valid YAML: {error}") from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise ConfigError(f"{where}: expected keys and values, found {type(content).__name__}")
    return content


@functools.cache
def _loader(unique: bool) -> type[yaml.SafeLoader]:
    import yaml

    class Loader(yaml.SafeLoader):
        """The safe loader, for which a wrong date is no error of the whole text and a repeated key may be one."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            seen: dict[str, int] = {}
            for key, _ in node.value if unique else ():
                line = key.start_mark.line + 1
                if seen.setdefault(str(key.value), line) != line:
                    problem = f"{key.value!r} stands there a second time, first on line {seen[str(key.value)]}"
                    raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            return super().construct_mapping(node, deep)

        def construct_yaml_timestamp(self, node: yaml.ScalarNode) -> Any:
            try:
                return super().construct_yaml_timestamp(node)
            except ValueError:
                return node.value

    Loader.add_constructor("tag:yaml.org,2002:timestamp", Loader.construct_yaml_timestamp)
    return Loader


def _size(value: Any, known: dict[int, int]) -> int:
    """How many values ``value`` holds when every reference is followed; ``known`` makes that linear.

    Raises ValueError for a value that holds itself.
    """
    if not isinstance(value, Mapping | list | set):
        return 1
    if id(value) in known:
        if not known[id(value)]:
            raise ValueError("a value refers to itself")
        return known[id(value)]
    known[id(value)] = 0
    parts = value.values() if isinstance(value, Mapping) else value
    known[id(value)] = 1 + sum(_size(part, known) for part in parts)
    return known[id(value)]


def value_from_text(text: str, where: str) -> Any:
    """A value written in the environment: YAML for lists, numbers and booleans, else the text itself."""
    import yaml

    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{where}: not valid YAML: {text!r}") from error
    return text if value is None or not isinstance(value, bool | int | float | list | dict) else value


def example_yaml() -> str:
    """A commented file that equals the defaults: what ``rag init`` writes and ``config.example.yaml`` holds."""
    import yaml

    lines = ["# Every setting of ragcli with its default. Delete what you do not change.", ""]
    for name, kind in SECTIONS.items():
        lines.append(f"{name}:  # {(kind.__doc__ or '').splitlines()[0]}")
        for item in dataclasses.fields(kind):
            value = plain(getattr(kind(), item.name))
            written = yaml.safe_dump(value, default_flow_style=True, width=1000, allow_unicode=True)
            written = written.removesuffix("\n").removesuffix("\n...").strip()
            lines.append(f"  {item.name}: {written}  # {item.metadata['meaning']}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"
