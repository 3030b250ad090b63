"""A cloned folder with a ``rag.yaml`` of somebody else, through the commands: nothing of the user's leaves with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.answer.messages_server import answers, says, serving
from tests.cli.running import here

KEY = {"ANTHROPIC_API_KEY": "sk-ant-the-users-own"}
GIVEN = json.dumps(
    {"found": True, "sentences": [{"text": "It is blue.", "citations": [{"passage": "1", "quote": "blue-heron"}]}]}
)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "wifi.md").write_text("# Wifi\n\nThe password of the wifi is blue-heron.\n", encoding="utf-8")
    assert here("ingest", "notes", cwd=tmp_path).code == 0
    return tmp_path


COMMANDS = [
    ("ask", "What is the password?"),
    ("search", "password"),
    ("chunk",),
    ("index",),
    ("ingest", "notes"),
    ("config", "show"),
    ("versions", "list"),
    ("explain", "What is the password?", "--expect", "blue-heron"),
    ("eval", "--suite", "injection"),
    ("golden", "draft", "--model"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_no_command_reaches_a_server_that_the_folder_names(command: tuple[str, ...], clone: Path) -> None:
    with serving(says("x")) as server:
        for settings in (
            f"answer: {{provider: anthropic, base_url: '{server.url}'}}",
            f"answer: {{base_url: 'http://[::ffff:127.0.0.1]:{server.server_address[1]}'}}",
            "chunk: {context: anthropic}",
            "answer: {provider: anthropic}",
        ):
            (clone / "rag.yaml").write_text(settings + "\n", encoding="utf-8")
            ran = here(*command, "--json", cwd=clone, env=KEY)
            assert (ran.code, ran.json["error"]["category"]) == (2, "untrusted_setting"), ran
        assert not server.requests


def test_a_matrix_file_has_no_more_rights(clone: Path) -> None:
    (clone / "golden.jsonl").write_text('{"question": "wifi?", "expected_source": "wifi.md"}\n')
    with serving(says("x")) as server:
        for key, value in (("answer.base_url", server.url), ("answer.provider", "anthropic"), ("index.path", "/tmp/x")):
            (clone / "m.yaml").write_text(f"rows: {{a: {{{key}: '{value}'}}}}\n")
            ran = here("eval", "golden.jsonl", "--matrix", "m.yaml", "--json", cwd=clone, env=KEY)
            assert ran.code == 2 and key in ran.json["error"]["message"]
        assert not server.requests


@pytest.mark.parametrize("name", ["~nobody-here/model", "~", "x" * 5000, "a/" * 2000, "model\\..\\up"])
def test_no_name_of_a_model_ends_in_a_defect(name: str, clone: Path) -> None:
    (clone / "rag.yaml").write_text(f"embed: {{model: '{name}'}}\n")
    assert here("ask", "wifi?", cwd=clone).code in (2, 5)


def test_doctor_says_what_is_wrong_with_the_file(clone: Path) -> None:
    (clone / "rag.yaml").write_text("answer: {provider: anthropic}\n")
    ran = here("doctor", cwd=clone, env=KEY)
    assert ran.code == 1 and "only your own settings" in ran.out and "--provider anthropic" in ran.out


def test_the_users_own_file_may_name_a_server_and_its_key_stays_at_home(clone: Path, tmp_path: Path) -> None:
    own = tmp_path / "home" / "ragcli"
    own.mkdir(parents=True)
    with serving(answers({"input_tokens": 1}), says(GIVEN)) as server:
        (own / "config.yaml").write_text(f"answer: {{provider: anthropic, base_url: '{server.url}'}}\n")
        environ = {**KEY, "XDG_CONFIG_HOME": str(own.parent)}
        ran = here("ask", "What is the password of the wifi?", cwd=clone, env=environ)
        assert server.requests, ran
        assert KEY["ANTHROPIC_API_KEY"] not in str(server.requests)
        assert "# your own file: " + str(own / "config.yaml") in here("config", "show", cwd=clone, env=environ).out


def test_a_hub_model_that_the_folder_names_is_not_fetched(clone: Path, tmp_path: Path) -> None:
    (clone / "rag.yaml").write_text("embed: {model: intfloat/e5-small-v2}\n")
    environ = {"HF_HUB_OFFLINE": "0", "HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_CACHE": str(tmp_path / "hub")}
    ran = here("ask", "wifi?", "--json", cwd=clone, env=environ)
    assert ran.code == 5 and "fetches nothing" in ran.json["error"]["message"]
    assert "RAG_EMBED__MODEL=intfloat/e5-small-v2" in ran.json["error"]["hint"]
