"""The start of the program, as ``rag`` or ``python -m ragcli``: Ctrl-C is answered while its modules still load."""

import os
import sys


def run() -> int:
    """Run ``rag`` with the arguments of the process and give its exit code."""
    if sys.getfilesystemencoding() != "utf-8":
        _begin_again_in_utf8()
    try:
        from ragcli.cli.main import main

        return main()
    except KeyboardInterrupt as error:  # before, or after, main could catch it
        return _interrupted(error)


def _begin_again_in_utf8() -> None:
    """Have names of files and arguments read as UTF-8: else an id would depend on the locale of whoever ingests.

    What is printed stays in the encoding of the locale, ASCII excepted, which could print next to nothing.
    """
    if sys.stdout is not None and sys.stdout.encoding not in ("ascii", "ANSI_X3.4-1968"):
        os.environ.setdefault("PYTHONIOENCODING", f"{sys.stdout.encoding}:backslashreplace")
    os.environ["PYTHONUTF8"] = "1"  # for the processes that this one starts; -X holds where the environment is ignored
    os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def _interrupted(error: KeyboardInterrupt) -> int:
    from ragcli.cli import failures
    from ragcli.cli.output import Output

    return failures.report(error, Output(json="--json" in sys.argv), debug=False, root=None)


if __name__ == "__main__":
    if not sys.flags.safe_path:  # ``-m`` puts the working folder first: a json.py among the documents is no module
        del sys.path[0]
    raise SystemExit(run())
