"""Streams, exit codes, errors and signals of the program as a whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ragcli import __version__
from ragcli.cli import failures
from ragcli.errors import ExitCode, IndexLocked, RagError
from tests.cli.running import environment, rag


def test_version(tmp_path: Path) -> None:
    assert rag("--version", cwd=tmp_path).out == f"rag {__version__}\n"
    assert rag("config", "--json", "--version", cwd=tmp_path).json == {
        "schema": "rag.version/1",
        "version": __version__,
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("inti", "No such command 'inti'. Did you mean 'init'"),
        ("config shw", "No such command 'shw'. Did you mean 'show'?"),
        ("init --forec", "no such option: --forec; did you mean --force?"),
        ("config show --jsn", "no such option: --jsn; did you mean --json?"),
        ("--color blue init", "Invalid value for '--color'"),
        ("--config", "--config needs a value"),
    ],
)
def test_a_typo_is_exit_2_with_the_nearest_name(line: str, message: str, tmp_path: Path) -> None:
    ran = rag(*line.split(), cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {message}")
    assert "--help" in ran.err
    error = rag("--json", *line.split(), cwd=tmp_path).json["error"]
    assert (error["code"], error["category"]) == (2, "usage")
    assert error["message"].startswith(message)


def test_without_a_command_the_help_is_shown(tmp_path: Path) -> None:
    ran = rag(cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "Usage: rag" in ran.err
    assert rag("--json", cwd=tmp_path).json["error"]["code"] == 2


def test_every_exit_code_stands_in_the_help(tmp_path: Path) -> None:
    text = rag("--help", cwd=tmp_path).out
    for code in ExitCode:
        assert f"{code.value:>3}  {code.meaning}\n" in text


def test_errors_have_their_code_and_fields() -> None:
    error = IndexLocked("written by process 7", hint="wait for it with --wait SECONDS")
    described = failures.describe(error, None)
    assert described == (75, "index_locked", "written by process 7", "wait for it with --wait SECONDS")
    assert failures.describe(KeyboardInterrupt(), None)[0] == 130
    assert failures.describe(ZeroDivisionError("by zero"), None)[:3] == (70, "internal", "ZeroDivisionError: by zero")
    assert failures.describe(OSError(28, "No space left on device", "x"), None)[2] == "No space left on device: x"
    for kind in RagError.__subclasses__():
        assert failures.describe(kind("x"), None)[0] in set(ExitCode)


def test_a_traceback_only_with_debug(tmp_path: Path) -> None:
    plain = rag("config", "show", "--config", "no.yaml", cwd=tmp_path)
    assert plain.code == 2
    assert (
        plain.err
        == f"error: config file {tmp_path / 'no.yaml'} does not exist (from --config)\nhint: rag init writes one\n"
    )
    debug = rag("config", "show", "--config", "no.yaml", "--debug", cwd=tmp_path)
    assert "Traceback" in debug.err and debug.code == 2


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "utf-16"},
        {"LC_ALL": "C", "PYTHONUTF8": "0"},
    ],
)
def test_no_locale_ends_the_program(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "rag.yaml").write_text("embed: {query_prefix: 'Größe 日本 \\x1b[31m: '}\n", encoding="utf-8")
    for options in ([], ["--json"]):
        command = [sys.executable, "-m", "ragcli", "config", "show", *options]
        done = subprocess.run(command, cwd=tmp_path, env=environment(env), capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert b"\x1b" not in done.stdout


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    for command, code in (("config show", 0), ("--help", 0), ("nothing --json", 2)):
        line = f"{{ sleep 1; {sys.executable} -m ragcli {command}; }} | true; exit ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, env=environment(), capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (code, b"")


def test_closed_streams_are_no_error(tmp_path: Path) -> None:
    line = f"{sys.executable} -m ragcli config show >&- 2>&-"
    assert subprocess.run(["bash", "-c", line], cwd=tmp_path, env=environment(), check=False).returncode == 0


@pytest.mark.parametrize("command", ["config show", "--help"])  # with and without a rest to write
def test_a_full_disk_is_named(tmp_path: Path, command: str) -> None:
    line = f"{sys.executable} -m ragcli {command} > /dev/full"
    done = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 70
    assert done.stderr.startswith("error: No space left on device")
    assert "Traceback" not in done.stderr


def test_shell_completion(tmp_path: Path) -> None:
    env = {"_RAG_COMPLETE": "complete_bash", "COMP_WORDS": "rag search --mo", "COMP_CWORD": "2"}
    assert rag(cwd=tmp_path, env=env).out.split() == ["--mode"]
    env = {"_RAG_COMPLETE": "complete_bash", "COMP_WORDS": "rag ver", "COMP_CWORD": "1"}
    assert rag(cwd=tmp_path, env=env).out.split() == ["versions"]


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_interruption_while_modules_load_is_no_traceback(tmp_path: Path, options: list[str]) -> None:
    """The start of the program, with the module of its commands interrupted the first time it is loaded."""
    code = (
        "import sys, runpy\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'ragcli.cli.app':\n"
        "            sys.meta_path.remove(self)\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        f"sys.argv = {['rag', 'versions', *options]!r}\n"
        "runpy.run_module('ragcli', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert done.returncode == 130
    message = "interrupted; the last published version still serves"
    if options:
        assert json.loads(done.stdout)["error"]["message"] == message
    else:
        assert (done.stdout, done.stderr) == ("", f"error: {message}\n")
