"""Global options may stand anywhere on the command line: they are moved in front of the command before parsing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragcli.errors import ConfigError


def hoisted(arguments: Sequence[str], root: Any) -> tuple[list[str], list[str]]:
    """``(global options with their values, the rest)``, both in their order.

    ``root`` is the command tree. Nothing after ``--`` is touched, and neither is what stands as the value of
    another option (``--meta --json`` gives ``--meta`` the value ``--json``). Raises ConfigError for a global option
    without its value: moved to the front it would take the command's name for one.
    """
    known = takes_value(root)
    node, local = root, known
    front: list[str] = []
    rest: list[str] = []
    remaining = list(arguments)
    while remaining:
        token = remaining.pop(0)
        if token == "--":
            return front, [*rest, token, *remaining]
        name, equals, _ = token.partition("=") if token.startswith("--") else (token, "", "")
        is_global = name in known or re.fullmatch(r"-v+", token) is not None
        (front if is_global else rest).append(token)
        if known.get(name) and not equals and (not remaining or remaining[0].partition("=")[0] in (*known, "--")):
            hint = f"{name}=VALUE; rag --help lists the options"
            raise ConfigError(f"{name} needs a value", hint=hint, category="usage")
        if (known if is_global else local).get(name) and not equals and remaining:
            (front if is_global else rest).append(remaining.pop(0))
        elif not token.startswith("-"):
            node = getattr(node, "commands", {}).get(token, node)
            local = takes_value(node)
    return front, rest


def takes_value(command: Any) -> Mapping[str, bool]:
    """Every option name of a command, ``--help`` left out, and whether a value follows it."""
    return {
        name: not (option.is_flag or option.count)
        for option in command.params
        if option.param_type_name == "option"
        for name in (*option.opts, *option.secondary_opts)
        if name != "--help"
    }
