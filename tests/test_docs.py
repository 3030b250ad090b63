"""What the README says is so: its commands, options, settings, exit codes, formats and transcripts."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragcli.cli.app import command_tree
from ragcli.cli.arguments import takes_value
from ragcli.config import SECTIONS, Config
from ragcli.errors import ExitCode
from ragcli.parse.registry import FAMILIES
from tests.cli.running import environment

REPOSITORY = Path(__file__).resolve().parents[1]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
ROOT: Any = command_tree()


def fences(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    """Every ``rag …`` that the README writes, in fences and in backticks."""
    blocks = [line for text in (*fences("sh"), *fences("console"), *fences("yaml")) for line in text.splitlines()]
    found = [part.strip() for line in blocks for part in re.findall(r"(?:^|&& |\$ |run: )(rag [^&\n]*)", line)]
    inline = re.findall(r"`((?:[A-Z_]+=\S+ )?rag [^`]+)`", README)
    return [*found, *(re.sub(r"^[A-Z_]+=\S+ ", "", text) for text in inline)]


def words_of(command: str) -> list[str]:
    return [word for word in shlex.split(command.replace("…", ""))[1:] if word]


@pytest.mark.parametrize("command", commands())
def test_every_command_and_option_exists(command: str) -> None:
    node, known = ROOT, dict(takes_value(ROOT))
    for word in words_of(command):
        if word.startswith("-") and word != "-":
            name = word.partition("=")[0]
            known |= takes_value(node) | {"--help": False, "-vv": False}
            assert name in known, f"{command!r}: no option {name}"
        elif word.isupper() and word.isalpha():
            continue  # a placeholder such as COMMAND
        elif getattr(node, "commands", None):
            if word not in node.commands:
                assert getattr(node, "invoke_without_command", False), f"{command!r}: no command {word!r}"
                continue
            node = node.commands[word]


def test_every_command_is_named() -> None:
    for name in ROOT.commands:
        assert re.search(rf"`rag {name}\b", README), f"the README does not name rag {name}"


def test_the_library_is_used_as_the_readme_does(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "sample_corpus", tmp_path / "sample_corpus")
    (block,) = fences("python")
    assert len(block.splitlines()) <= 10
    command = [sys.executable, "-c", block]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (
        "Remote work is limited to two days per week [1]. hr/remote-policy.md\n",
        "",
    )


def test_every_help_has_two_examples_that_parse_and_its_exit_codes() -> None:
    def leaves(node: Any, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], Any]]:
        inner = getattr(node, "commands", {})
        return [(path, node)] + [leaf for name, child in inner.items() for leaf in leaves(child, (*path, name))]

    for path, node in leaves(ROOT, ()):
        end = node.epilog or ""
        examples = re.findall(r"^  ((?:[A-Z_]+=\S+ )?rag .*)$", end.partition("Exit codes:")[0], re.MULTILINE)
        assert len(examples) >= 2, f"rag {' '.join(path)}: {examples}"
        assert f"{ExitCode.USAGE.value:>3}  {ExitCode.USAGE.meaning}" in end
        for example in examples:
            test_every_command_and_option_exists(re.sub(r"^[A-Z_]+=\S+ ", "", example).partition(" < ")[0])


def test_the_exit_codes_are_those_of_the_program() -> None:
    table = re.findall(r"^\| (\d+) \| (.+) \|$", README.partition("## Exit codes")[2], re.MULTILINE)
    assert table == [(str(code.value), code.meaning) for code in ExitCode]


def test_every_setting_named_exists() -> None:
    dotted = set(re.findall(r"`((?:" + "|".join(SECTIONS) + r")\.\w+)", README))
    keys = {f"{section}.{key}" for section, values in Config().to_mapping().items() for key in values}
    assert dotted and dotted <= keys


def test_every_environment_variable_named_is_read() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in (REPOSITORY / "ragcli").rglob("*.py"))
    found = re.findall(r"`((?:RAG|ANTHROPIC)_[A-Z_]+?)(__[A-Z_]+)?[=`]", README)
    names = {name for name, setting in found if not setting}
    assert {"RAG_INDEX", "RAG_GROUPS", "RAG_OFFLINE", "RAG_CONFIG"} <= names
    for name in names:
        assert f'"{name}"' in source, name


def test_every_library_that_reads_a_format_is_named() -> None:
    table = README.partition("## Formats")[2].partition("\n## ")[0]
    for family in FAMILIES:
        for library in family.libraries:
            assert library in table, f"{library} reads {family.media_types} and is not named"
        assert not family.extra or f"ragcli[{family.extra}]" in table


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", README):
        assert (REPOSITORY / target).exists(), target


def test_the_continuous_integration_runs_the_set_up_of_the_readme() -> None:
    script = re.sub(r"\s+", " ", (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8"))
    first, second = fences("sh")[0].splitlines()
    assert README.index(first) < README.index("\n## ")
    for part in first.split(" && "):
        assert part.replace("pip install .", "pip install --quiet .") in script, part
    assert second == "pip install '.[dev]' && pytest"
    assert "pip install --quiet '.[dev]'" in script and script.rstrip().endswith("pytest -n 2")


@pytest.mark.parametrize("block", fences("console"), ids=lambda block: block.splitlines()[0])
def test_transcripts_are_what_the_program_prints(block: str, sample_index: Path, tmp_path: Path) -> None:
    """Each ``$ rag …`` is run over the sample corpus; a command that prints to standard error shows that too."""
    shutil.copytree(sample_index, tmp_path / ".rag")
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "rag").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ragcli "$@"\n')
    (bin_folder / "rag").chmod(0o755)
    env = environment() | {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
    for piece in re.split(r"^(?=\$ )", block, flags=re.MULTILINE)[1:]:
        command, _, shown = piece.partition("\n")
        line = f"{command.removeprefix('$ ')} 2>&1"
        printed = subprocess.run(line, shell=True, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert printed.stdout.rstrip("\n") == shown.rstrip("\n"), command
