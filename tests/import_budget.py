"""What a command may load; ``python -m tests.import_budget`` writes ``import_budget.json`` anew, to be read then.

Loading modules is most of what a short command costs. The file names, for each of four commands, every module of
ragcli and every package of others that it loads; ``test_import_budget.py`` fails on one that is not in it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.cli.running import environment, here

KEPT = Path(__file__).with_name("import_budget.json")
QUESTION = "Where does the heron sleep?"
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "--help": ("--help",),
    "search --mode bm25": ("search", QUESTION, "--mode", "bm25"),
    "search": ("search", QUESTION),
    "ask": ("ask", QUESTION),
}
_REPORT = """
import sys
from ragcli.cli.main import main
code = main()
names = {name for name in sys.modules if name.split(".")[0] == "ragcli"}
others = {name.split(".")[0] for name in sys.modules} - set(sys.stdlib_module_names) - {"ragcli", "__main__"}
print("\\n".join(["", "LOADED", *sorted(names), *sorted(f"{name} (package)" for name in others)]))
raise SystemExit(code)
"""


def project(folder: Path) -> Path:
    """A folder with an index of two documents."""
    (folder / "docs").mkdir()
    (folder / "docs" / "heron.md").write_text("# Heron\n\nThe heron sleeps in the reeds.\n", encoding="utf-8")
    (folder / "docs" / "owl.md").write_text("# Owl\n\nThe owl sleeps in the old barn.\n", encoding="utf-8")
    assert here("ingest", "docs", cwd=folder).code == 0
    return folder


def loaded(command: str, folder: Path) -> list[str]:
    """Modules of ragcli, and packages of others, that a command loads in ``folder``."""
    arguments = [sys.executable, "-c", _REPORT, *COMMANDS[command]]
    done = subprocess.run(arguments, cwd=folder, env=environment(), capture_output=True, text=True, check=True)
    names = done.stdout.partition("\nLOADED\n")[2].split("\n")
    # What starts with every interpreter of an environment, or watches a test run, is no command's doing.
    return [name for name in names if name and not name.startswith(("_", "sitecustomize", "usercustomize"))]


def budget() -> Iterator[tuple[str, list[str]]]:
    """Every command with what it loads now."""
    with tempfile.TemporaryDirectory() as place:
        folder = project(Path(place))
        for command in COMMANDS:
            yield command, loaded(command, folder)


def main() -> None:
    KEPT.write_text(json.dumps(dict(budget()), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
