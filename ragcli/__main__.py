"""``python -m ragcli``: the same as ``rag``."""

from ragcli.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
