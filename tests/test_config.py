"""Settings: the order of their layers, their origins, and errors that name path, value and the nearest key."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import pytest

from ragcli.config import SECTIONS, Config, PathRule, example_yaml, load, parse_yaml
from ragcli.errors import ConfigError

REPOSITORY = Path(__file__).resolve().parents[1]


def loaded(folder: Path, yaml: str | None = None, environ: dict[str, str] | None = None, **options: Any) -> Config:
    if yaml is not None:
        (folder / "rag.yaml").write_text(yaml, encoding="utf-8")
    return load(environ=environ or {}, cwd=folder, **options)


def test_the_example_equals_the_defaults(tmp_path: Path) -> None:
    assert (REPOSITORY / "config.example.yaml").read_text(encoding="utf-8") == example_yaml()
    config = loaded(tmp_path, example_yaml())
    assert config == Config()
    assert set(config.origins.values()) == {"rag.yaml"}


def test_every_key_has_a_meaning_and_its_default_is_allowed(tmp_path: Path) -> None:
    content = parse_yaml(example_yaml(), "example")
    for name, kind in SECTIONS.items():
        assert list(content[name]) == [item.name for item in dataclasses.fields(kind)]
        assert all(item.metadata["meaning"] for item in dataclasses.fields(kind))


def test_command_line_over_environment_over_file_over_default(tmp_path: Path) -> None:
    yaml = "retrieve: {k: 2, depth: 20, rrf_k: 30}\n"
    environ = {"RAG_RETRIEVE__K": "3", "RAG_RETRIEVE__DEPTH": "30"}
    config = loaded(tmp_path, yaml, environ, overrides={"retrieve.k": 4})
    assert (config.retrieve.k, config.retrieve.depth, config.retrieve.rrf_k) == (4, 30, 30)
    assert config.retrieve.dense_weight == Config().retrieve.dense_weight
    origins = [config.origins[f"retrieve.{key}"] for key in ("k", "depth", "rrf_k", "dense_weight")]
    assert origins == ["command line", "RAG_RETRIEVE__DEPTH", "rag.yaml", "default"]


def test_the_nearest_file_upward_applies_and_paths_are_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / "rag.yaml").write_text("index: {path: kept}\n")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert loaded(inner).index_path == tmp_path / "kept"
    (inner.parent / "rag.yaml").write_text("")
    assert loaded(inner).index_path == inner.parent / ".rag"


def test_named_files(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("retrieve: {k: 1}\n")
    (tmp_path / "two.yaml").write_text("retrieve: {k: 2}\n")
    assert loaded(tmp_path, environ={"RAG_CONFIG": "one.yaml"}).retrieve.k == 1
    assert loaded(tmp_path, environ={"RAG_CONFIG": "one.yaml"}, file=Path("two.yaml")).retrieve.k == 2
    with pytest.raises(ConfigError, match=r"no\.yaml does not exist \(from RAG_CONFIG\)"):
        loaded(tmp_path, environ={"RAG_CONFIG": "no.yaml"})
    with pytest.raises(ConfigError, match="cannot read"):
        (tmp_path / "latin.yaml").write_bytes(b"embed: {model: caf\xe9}")
        loaded(tmp_path, file=Path("latin.yaml"))


def test_a_folder_of_that_name_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "rag.yaml").mkdir()
    (tmp_path / "below").mkdir()
    for options in ({"cwd": tmp_path / "below"}, {"cwd": tmp_path, "file": Path("rag.yaml")}):
        with pytest.raises(ConfigError, match=r"rag\.yaml is a folder"):
            load(environ={}, **options)  # type: ignore[arg-type]


def test_environment(tmp_path: Path) -> None:
    environ = {
        "RAG_INDEX": "elsewhere",
        "RAG_GROUPS": "hr, legal,",
        "RAG_OFFLINE": "1",
        "RAG_EMBED__QUERY_PREFIX": "query: ",
        "RAG_INGEST__EXCLUDE": "[a/**, b/**]",
        "RAG_INGEST__OCR_LANGUAGES": "deu,jpn",
        "RAG_TRACE__ENABLED": "false",
        "RAG_CHUNK__PARENT": "off",
        "RAG_ANSWER__MODEL": "123",
    }
    config = loaded(tmp_path, environ=environ)
    assert config.index_path == Path.cwd() / "elsewhere"
    assert (config.groups, config.offline) == (("hr", "legal"), True)
    assert config.embed.query_prefix == "query: "
    assert config.ingest.exclude == ("a/**", "b/**")
    assert config.ingest.ocr_languages == ("deu", "jpn")
    assert config.trace.enabled is False
    assert config.chunk.parent == "off"
    assert config.answer.model == "123"


def test_rules(tmp_path: Path) -> None:
    yaml = "ingest:\n  rules:\n  - path: hr/**\n    set: {acl: [hr], type: policy}\n"
    assert loaded(tmp_path, yaml).ingest.rules == (PathRule("hr/**", {"acl": ["hr"], "type": "policy"}),)


@pytest.mark.parametrize(
    ("yaml", "message"),
    [
        ("retreive: {k: 1}", "rag.yaml: unknown section 'retreive'; did you mean 'retrieve'?"),
        ("retrieve: {kk: 1}", "rag.yaml: unknown key 'retrieve.kk'; did you mean 'retrieve.k'?"),
        ("retrieve: {k: five}", "rag.yaml: retrieve.k is 'five', expected a whole number"),
        ("retrieve: {k: true}", "rag.yaml: retrieve.k is True, expected a whole number"),
        ("retrieve: {k: 0}", "rag.yaml: retrieve.k is 0, expected a number between 1 and 1000"),
        ("retrieve: {dense_weight: .nan}", "rag.yaml: retrieve.dense_weight is nan, expected a number between 0 and 1"),
        ("retrieve: {mode: fuzzy}", "rag.yaml: retrieve.mode is 'fuzzy', expected one of hybrid, bm25, dense"),
        ("retrieve: 3", "section 'retrieve' holds 3, expected keys below it"),
        ("ingest: {exclude: 3}", "rag.yaml: ingest.exclude is 3, expected a list"),
        ("ingest: {exclude: [[1]]}", "rag.yaml: ingest.exclude[0] is [1], expected text"),
        ("ingest: {rules: [{paht: x}]}", "rag.yaml: ingest.rules[0]: unknown key 'paht'; did you mean 'path'?"),
        ("ingest: {rules: [x]}", "rag.yaml: ingest.rules[0] is 'x', expected keys and values"),
        ("eval: {fail_under: {R@5: high}}", "rag.yaml: eval.fail_under.R@5 is 'high', expected a number"),
        ("- a", "expected keys and values, found list"),
        ("a: [1", "rag.yaml:1: not valid YAML"),
        ("retrieve:\n  k: 5\n  k: 6\n", "rag.yaml:3: not valid YAML: 'k' stands there a second time, first on line 2"),
        ("retrieve: {k: 5}\neval: {}\nretrieve:\n", "'retrieve' stands there a second time, first on line 1"),
        ("index: {path: !!python/object:os.system {}}", "not valid YAML"),
    ],
)
def test_a_wrong_file_is_named_with_path_value_and_nearest_key(yaml: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, yaml)
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        (
            {"RAG_RETRIEV__K": "1"},
            "environment variable RAG_RETRIEV__K: unknown section 'retriev'; did you mean 'retrieve'?",
        ),
        (
            {"RAG_RETRIEVE__DEPHT": "1"},
            "RAG_RETRIEVE__DEPHT: unknown key 'retrieve.depht'; did you mean 'retrieve.depth'?",
        ),
        ({"RAG_RETRIEVE__K": "many"}, "RAG_RETRIEVE__K: retrieve.k is 'many', expected a whole number"),
        ({"RAG_RETRIEVE__K": "[1"}, "environment variable RAG_RETRIEVE__K: not valid YAML: '[1'"),
    ],
)
def test_a_wrong_environment_is_named(environ: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, environ=environ)
    assert message in caught.value.message


def test_secrets_are_masked_and_do_not_change_the_hash(tmp_path: Path) -> None:
    environ = {"RAG_ANSWER__BASE_URL": "http://me:geheim@localhost:8080/x"}
    config = loaded(tmp_path, "ingest: {passwords: [geheim]}\n", environ)
    assert config.ingest.passwords == ("geheim",)
    assert "geheim" not in str(config.to_mapping())
    assert config.to_mapping()["answer"]["base_url"] == "http://***@localhost:8080/x"


def test_hash_follows_the_settings(tmp_path: Path) -> None:
    config = loaded(tmp_path, "retrieve: {k: 5}\n")
    assert config.hash() != Config().hash()
    assert config.hash("chunk", "embed") == Config().hash("chunk", "embed")


def test_a_settings_file_that_is_no_file_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "rag.yaml")
    with pytest.raises(ConfigError, match="pipe or device"):
        load(environ={}, cwd=tmp_path)
    (tmp_path / "rag.yaml").unlink()
    (tmp_path / "rag.yaml").symlink_to("/dev/zero")
    with pytest.raises(ConfigError, match="pipe or device"):
        load(environ={}, cwd=tmp_path)
