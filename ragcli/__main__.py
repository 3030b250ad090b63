"""The start of the program, as ``rag`` or ``python -m ragcli``: Ctrl-C is answered while its modules still load."""

import sys


def run() -> int:
    """Run ``rag`` with the arguments of the process and give its exit code."""
    try:
        from ragcli.cli.main import main

        return main()
    except KeyboardInterrupt as error:  # before, or after, main could catch it
        return _interrupted(error)


def _interrupted(error: KeyboardInterrupt) -> int:
    from ragcli.cli import failures
    from ragcli.cli.output import Output

    return failures.report(error, Output(json="--json" in sys.argv), debug=False, root=None)


if __name__ == "__main__":
    if not sys.flags.safe_path:  # ``-m`` puts the working folder first: a json.py among the documents is no module
        del sys.path[0]
    raise SystemExit(run())
