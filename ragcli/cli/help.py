"""What every command's ``--help`` ends with: examples, the global options, the exit codes."""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.errors import ExitCode

_GLOBAL_OPTIONS = (
    "  --config FILE, --index DIR, --json, --quiet, -v, -vv,",
    "  --color auto|always|never, --no-progress, --debug, --version",
)

_ALWAYS = (ExitCode.OK, ExitCode.USAGE, ExitCode.INTERNAL, ExitCode.INTERRUPTED)


def epilog(*examples: str, codes: Sequence[ExitCode] = (), globals_too: bool = True) -> str:
    """The end of a help page: ``examples``, the global options and the exit codes this command can end with."""
    shown = [code for code in ExitCode if code in _ALWAYS or code in codes]
    blocks = [_block("Examples:", [f"  {example}" for example in examples])]
    if globals_too:
        blocks.append(_block("Global options, before or after the command:", _GLOBAL_OPTIONS))
    blocks.append(_block("Exit codes:", [f"  {code.value:>3}  {code.meaning}" for code in shown]))
    return "\n\n".join(blocks)


def _block(title: str, lines: Sequence[str]) -> str:
    return "\n".join(("\b", title, *lines))
