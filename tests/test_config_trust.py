"""What a file of the working tree may not decide, whatever it is called and however it is reached."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.config import Config, example_yaml, load
from ragcli.config.trust import user_folder
from ragcli.errors import ConfigError


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / ".config" / "ragcli"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir()
    return folder


def loaded(clone: Path, home: Path, environ: dict[str, str] | None = None, **options: Any) -> Config:
    return load(environ={"HOME": str(home.parents[1]), **(environ or {})}, cwd=clone, **options)


REACHING = [
    ("answer", "provider", "anthropic"),
    ("answer", "provider", "openai"),
    ("answer", "base_url", "https://evil.example"),
    ("answer", "base_url", "http://[::ffff:127.0.0.1]:18999"),
    ("answer", "base_url", "http://127.999.0.1:8000"),
    ("answer", "base_url", "http://localhost:8000"),
    ("chunk", "context", "anthropic"),
    ("chunk", "context", "questions"),
    ("index", "path", "../elsewhere"),
    ("index", "path", "/tmp/elsewhere"),
    ("index", "path", "~/private/.rag"),
    ("index", "path", "kept/../../elsewhere"),
    ("embed", "model", "../model"),
    ("embed", "model", "/opt/model"),
    ("embed", "model", "~/model"),
    ("rerank", "model", "models/../../model"),
]


@pytest.mark.parametrize(("section", "key", "value"), REACHING)
@pytest.mark.parametrize("how", ["found", "--config", "RAG_CONFIG", "matrix"])
def test_a_file_of_the_working_tree_does_not_reach_out(
    section: str, key: str, value: str, how: str, clone: Path, home: Path
) -> None:
    file = clone / "rag.yaml"
    environ: dict[str, str] = {"ANTHROPIC_API_KEY": "k"}
    options: dict[str, Any] = {}
    if how == "matrix":
        options = {"variant": {f"{section}.{key}": value}, "variant_origin": "rag.yaml"}
    else:
        file.write_text(f"{section}: {{{key}: '{value}'}}\n", encoding="utf-8")
    if how == "--config":
        options = {"file": file}
    elif how == "RAG_CONFIG":
        environ["RAG_CONFIG"] = str(file)
    with pytest.raises(ConfigError) as caught:
        loaded(clone, home, environ, **options)
    error = caught.value
    assert (error.exit_code, error.category) == (2, "untrusted_setting")
    assert f"rag.yaml: {section}.{key} is {value!r}" in error.message
    assert f"RAG_{section.upper()}__{key.upper()}=" in error.hint and str(home / "config.yaml") in error.hint


@pytest.mark.parametrize(("section", "key", "value"), REACHING)
@pytest.mark.parametrize("who", ["environment", "command line", "own file", "own file named"])
def test_the_user_may_and_then_the_project_may_say_the_same(
    section: str, key: str, value: str, who: str, clone: Path, home: Path
) -> None:
    text = f"{section}: {{{key}: '{value}'}}\n"
    environ: dict[str, str] = {}
    options: dict[str, Any] = {}
    if who == "environment":
        environ[f"RAG_{section.upper()}__{key.upper()}"] = value
    elif who == "command line":
        options = {"overrides": {f"{section}.{key}": value}}
    elif who == "own file":
        (home / "config.yaml").write_text(text, encoding="utf-8")
    else:
        (home / "work.yaml").write_text(text, encoding="utf-8")
        options = {"file": home / "work.yaml"}
    for said_twice in (False, True):
        if said_twice and who != "own file named":
            (clone / "rag.yaml").write_text(text, encoding="utf-8")
        config = loaded(clone, home, environ, **options)
        assert getattr(getattr(config, section), key) == value
        assert f"{section}.{key}" not in config.from_project


def test_what_stays_inside_is_the_projects_own_affair(clone: Path, home: Path) -> None:
    (clone / "model").mkdir()
    (clone / "rag.yaml").write_text(
        "index: {path: kept/index}\nembed: {model: ./model}\nrerank: {model: cross-encoder/x}\n"
        "answer: {provider: extractive, base_url: '', model: m}\nchunk: {context: off}\nretrieve: {k: 3}\n"
    )
    config = loaded(clone, home)
    assert config.index_path == clone / "kept" / "index"
    assert {"index.path", "embed.model", "rerank.model", "retrieve.k"} <= config.from_project


def test_the_order_of_the_layers(clone: Path, home: Path) -> None:
    (home / "config.yaml").write_text("retrieve: {k: 1, depth: 10, rrf_k: 10}\neval: {seed: 1}\n")
    (clone / "rag.yaml").write_text("retrieve: {k: 2, depth: 20, rrf_k: 20}\n")
    config = loaded(clone, home, {"RAG_RETRIEVE__K": "3", "RAG_RETRIEVE__DEPTH": "30"}, overrides={"retrieve.k": 4})
    assert (config.retrieve.k, config.retrieve.depth, config.retrieve.rrf_k, config.eval.seed) == (4, 30, 20, 1)
    assert config.origins["eval.seed"] == str(home / "config.yaml") and config.user_file == home / "config.yaml"


def test_a_wrong_key_in_the_users_file_is_named(clone: Path, home: Path) -> None:
    (home / "config.yaml").write_text("retrieve: {kk: 1}\n")
    with pytest.raises(ConfigError, match=r"config\.yaml: unknown key 'retrieve\.kk'"):
        loaded(clone, home)


def test_a_projects_file_does_not_send_elsewhere_what_the_user_keeps_at_home(clone: Path, home: Path) -> None:
    (home / "config.yaml").write_text("answer: {provider: anthropic, base_url: 'http://localhost:8000'}\n")
    (clone / "rag.yaml").write_text(example_yaml().replace("provider: extractive", "provider: anthropic"))
    assert loaded(clone, home).answer.base_url == "http://localhost:8000"


def test_the_command_line_goes_before_a_file_that_reaches_out(clone: Path, home: Path) -> None:
    (clone / "rag.yaml").write_text("answer: {provider: anthropic}\n")
    assert loaded(clone, home, overrides={"answer.provider": "extractive"}).answer.provider == "extractive"
    assert loaded(clone, home, {"RAG_ANSWER__PROVIDER": "extractive"}).answer.provider == "extractive"


@pytest.mark.parametrize("link", [".rag", "kept"])
def test_a_link_out_of_the_project_is_followed_only_for_the_user(link: str, clone: Path, home: Path) -> None:
    outside = clone.parent / "outside"
    outside.mkdir()
    (clone / link).symlink_to(outside)
    if link != ".rag":
        (clone / "rag.yaml").write_text(f"index: {{path: {link}/index}}\n")
    with pytest.raises(ConfigError, match=f"leads to {outside}") as caught:
        loaded(clone, home)
    assert f"--index {outside}" in caught.value.hint
    assert loaded(clone, home, overrides={"index.path": str(outside)}).index_path == outside
    (clone / "loop").symlink_to("loop")
    (clone / "rag.yaml").write_text("index: {path: loop}\n")
    assert loaded(clone, home).index_path == clone / "loop"


def test_a_file_in_the_users_folder_may_be_a_link_and_a_link_to_it_is_not_it(clone: Path, home: Path) -> None:
    dotfiles = clone.parent / "dotfiles.yaml"
    dotfiles.write_text("answer: {provider: anthropic}\n")
    (home / "config.yaml").symlink_to(dotfiles)
    assert loaded(clone, home).answer.provider == "anthropic"
    (home / "config.yaml").unlink()
    (home / "stranger.yaml").write_text("answer: {provider: extractive}\n")
    with pytest.raises(ConfigError):
        loaded(clone, home, file=dotfiles)
    (clone / "rag.yaml").write_text("answer: {provider: anthropic}\n")
    with pytest.raises(ConfigError):
        loaded(clone, home, file=home / ".." / ".." / ".." / "clone" / "rag.yaml")


def test_what_is_printed_to_be_typed_carries_no_command(clone: Path, home: Path) -> None:
    (clone / "rag.yaml").write_text('answer: {base_url: "x; rm -rf ~ #"}\n')
    with pytest.raises(ConfigError) as caught:
        loaded(clone, home)
    assert "RAG_ANSWER__BASE_URL='x; rm -rf ~ #'" in caught.value.hint


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        ({"HOME": "/home/me"}, "linux", "/home/me/.config/ragcli"),
        ({"HOME": "/home/me", "XDG_CONFIG_HOME": "/etc/me"}, "linux", "/etc/me/ragcli"),
        ({"HOME": "/home/me", "XDG_CONFIG_HOME": "here"}, "linux", "/home/me/.config/ragcli"),
        ({"HOME": "/Users/me"}, "darwin", "/Users/me/Library/Application Support/ragcli"),
        ({"APPDATA": "/c/me"}, "win32", "/c/me/ragcli"),
        ({"HOME": "here"}, "linux", None),
        ({}, "linux", None),
        ({}, "win32", None),
    ],
)
def test_the_users_folder(environ: dict[str, str], platform: str, expected: str | None) -> None:
    assert user_folder(environ, platform) == (Path(expected) if expected else None)


@given(st.sampled_from(["index.path", "embed.model", "rerank.model", "answer.base_url"]), st.text(max_size=400))
def test_any_text_is_taken_inside_or_refused(key: str, value: str) -> None:
    base = Path("/nowhere/clone")
    try:
        config = load(variant={key: value}, variant_origin="rag.yaml", environ={}, cwd=base)
    except ConfigError as error:
        assert error.exit_code == 2
    else:
        assert config.index_path.resolve().is_relative_to(base)
        assert not config.answer.base_url.strip()
