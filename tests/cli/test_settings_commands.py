"""``rag init`` and ``rag config show``."""

from __future__ import annotations

from pathlib import Path

from ragcli.config import Config, example_yaml, load
from tests.cli.running import rag


def test_init_writes_the_defaults_once(tmp_path: Path) -> None:
    ran = rag("init", "--json", cwd=tmp_path)
    assert ran.json == {"schema": "rag.init/1", "path": str(tmp_path / "rag.yaml")}
    assert (tmp_path / "rag.yaml").read_text(encoding="utf-8") == example_yaml()
    assert load(environ={}, cwd=tmp_path) == Config()
    (tmp_path / "rag.yaml").write_text("retrieve: {k: 3}\n")
    again = rag("init", cwd=tmp_path)
    assert (again.code, again.out) == (2, "")
    assert again.err == "error: rag.yaml exists already\nhint: rag init --force replaces it\n"
    assert (tmp_path / "rag.yaml").read_text() == "retrieve: {k: 3}\n"
    assert rag("init", "--force", cwd=tmp_path).code == 0
    assert (tmp_path / "rag.yaml").read_text(encoding="utf-8") == example_yaml()


def test_init_makes_the_folder_and_names_what_it_cannot_write(tmp_path: Path) -> None:
    assert rag("init", "new/folder", cwd=tmp_path).out == "new/folder/rag.yaml written\n"
    (tmp_path / "file").touch()
    ran = rag("init", "file", cwd=tmp_path)
    assert ran.code == 2
    assert ran.err.startswith("error: ")


def test_config_show_says_where_each_value_came_from(tmp_path: Path) -> None:
    (tmp_path / "rag.yaml").write_text("retrieve: {k: 3, depth: 50}\ningest: {passwords: [geheim]}\n")
    env = {"RAG_RETRIEVE__DEPTH": "60", "RAG_GROUPS": "hr", "RAG_INDEX": "there", "RAG_OFFLINE": "1"}
    value = rag("config", "show", "--origin", "--json", cwd=tmp_path, env=env).json
    assert value["schema"] == "rag.config/1"
    assert value["file"] == str(tmp_path / "rag.yaml")
    assert value["index"] == str(tmp_path / "there")
    assert (value["groups"], value["offline"]) == (["hr"], True)
    assert (value["settings"]["retrieve"]["k"], value["origins"]["retrieve.k"]) == (3, "rag.yaml")
    assert (value["settings"]["retrieve"]["depth"], value["origins"]["retrieve.depth"]) == (60, "RAG_RETRIEVE__DEPTH")
    assert value["origins"]["retrieve.rrf_k"] == "default"
    text = rag("config", "show", "--origin", "--index", "here", cwd=tmp_path, env=env).out
    assert f"# index: {tmp_path / 'here'}\n" in text
    assert "retrieve.k = 3  # rag.yaml\n" in text
    assert 'ingest.passwords = ["***"]  # rag.yaml\n' in text
    assert "geheim" not in text


def test_a_wrong_setting_is_exit_2(tmp_path: Path) -> None:
    (tmp_path / "rag.yaml").write_text("retrieve: {kk: 3}\n")
    ran = rag("config", "show", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: rag.yaml: unknown key 'retrieve.kk'; did you mean 'retrieve.k'?\n"
    assert rag("config", "show", "--json", cwd=tmp_path).json["error"]["category"] == "config"
