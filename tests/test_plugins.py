"""Parts of other packages: a small distribution on the path brings one of each kind, and the settings name them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragcli import Index, plugins
from ragcli.answer.loading import PROVIDERS
from ragcli.application.stores import STORES
from ragcli.config import SECTIONS, load
from ragcli.embed.loading import BACKENDS
from ragcli.errors import ConfigError, ExitCode
from ragcli.retrieve.rerank import METHODS
from tests.cli.running import REPOSITORY, Ran, rag

MODULE = '''
"""What a guest writes: five parts in one module."""

import hashlib
import dataclasses
from types import SimpleNamespace

import numpy as np

from ragcli.embed.loading import BACKENDS
from ragcli.index.folder import IndexFolder
from ragcli.parse.source import Extract
from ragcli.records import Block, Claim, Completion, EmbedderInfo, Span


class LetterEmbedder:
    """Counts letters: 26 numbers a text. Words are cut by the packaged model's tokenizer."""

    def __init__(self, config):
        self.info = EmbedderInfo("letters", "1", 26, 256)
        self.tokenizer = BACKENDS["auto"](dataclasses.replace(config, model="all-MiniLM-L6-v2"), offline=True).tokenizer

    def _rows(self, texts):
        rows = np.array([[1 + text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def queries(self, texts):
        return self._rows(texts)

    def passages(self, texts, progress=None):
        return self._rows(texts)

    def token_vectors(self, texts):
        return [self._rows(text.split()) for text in texts]


def embedder(config, *, offline):
    return LetterEmbedder(config)


class Shortest:
    """The shortest text first."""

    name = "shortest"

    def scores(self, question, texts):
        return [-float(len(text)) for text in texts]


def reranker(config, embedder, *, offline):
    return Shortest()


class FirstPassage:
    """Says the first line of the first passage that is no heading."""

    def generate(self, question, passages):
        line = next(line for line in passages[0].text.splitlines() if line and not line.startswith("#"))
        return Completion(True, (Claim(line, ("1",), (line,)),), "first-passage", "1")


def generator(config, *, embedder, environ):
    return FirstPassage()


def store(config):
    folder = IndexFolder(config.index_path.with_name("elsewhere"), config.index)
    return folder


def _parse(source, context):
    text = source.data.decode().replace(";", "\\n")
    yield Extract(text, (Block("paragraph", Span(0, len(text))),), title="Semicolons")


parser = SimpleNamespace(version=3, extensions=(".semi",), media_type="text/x-semicolons", parse=_parse)
'''
ENTRY_POINTS = """
[ragcli.embedders]
letters = guest_parts:embedder
broken = guest_parts:no_such_thing
[ragcli.rerankers]
shortest = guest_parts:reranker
[ragcli.generators]
first-passage = guest_parts:generator
[ragcli.engines]
elsewhere = guest_parts:store
[ragcli.parsers]
semicolons = guest_parts:parser
"""


def distribution(folder: Path, name: str = "guest-parts", entry_points: str = ENTRY_POINTS) -> None:
    """What an installer would leave in site-packages."""
    info = folder / f"{name.replace('-', '_')}-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")
    (folder / "guest_parts.py").write_text(MODULE, encoding="utf-8")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "site-packages"
    distribution(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", f"{REPOSITORY}{os.pathsep}{folder}")  # for the processes that parse
    yield folder
    sys.modules.pop("guest_parts", None)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "rooms.semi").write_text("The blue room has a projector;The red room has none", encoding="utf-8")
    (folder / "wifi.md").write_text("# Wifi\n\nThe password of the wifi is heron.\n", encoding="utf-8")
    return folder


PARTS = {
    "RAG_EMBED__BACKEND": "letters",
    "RAG_RERANK__METHOD": "shortest",
    "RAG_ANSWER__PROVIDER": "first-passage",
    "RAG_INDEX__ENGINE": "elsewhere",
    "RAG_INGEST__PARSERS": "[semicolons]",
}


def run(site: Path, *arguments: str, cwd: Path, **env: str) -> Ran:
    return rag(*arguments, cwd=cwd, env={"PYTHONPATH": f"{REPOSITORY}{os.pathsep}{site}", **env})


@pytest.mark.usefixtures("site")
def test_what_is_installed_is_found_and_named() -> None:
    assert [str(item) for item in plugins.installed(plugins.RERANKERS)] == ["shortest (guest-parts 1.2)"]
    assert load(overrides={"rerank.method": "shortest"}, environ={}).rerank.method == "shortest"
    with pytest.raises(ConfigError, match=r"rerank\.method is 'longest', expected one of none, .*shortest \(guest-"):
        load(overrides={"rerank.method": "longest"}, environ={})
    with pytest.raises(ConfigError, match=r"ingest\.parsers is 'pdfs', expected one of semicolons \(guest-parts 1.2\)"):
        load(overrides={"ingest.parsers": ["pdfs"]}, environ={})


def test_what_is_not_installed_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"embed\.backend is 'letters', expected one of auto, onnx, sentence-tran"):
        load(overrides={"embed.backend": "letters"}, environ={})


def test_the_settings_know_the_parts_of_our_own() -> None:
    for registry in (BACKENDS, METHODS, PROVIDERS, STORES):
        section, _, key = registry.setting.partition(".")
        metadata = next(f.metadata for f in SECTIONS[section].__dataclass_fields__.values() if f.name == key)
        assert (metadata["group"], set(metadata["own"])) == (registry.group, set(registry.own))


@pytest.mark.usefixtures("site")
def test_a_part_that_cannot_be_loaded_is_a_setting_that_is_wrong() -> None:
    with pytest.raises(ConfigError, match=r"'broken' of guest-parts 1\.2 cannot be loaded: .*no_such_thing"):
        BACKENDS["broken"]


def test_two_packages_with_one_name_are_refused(site: Path) -> None:
    distribution(site.parent / "more", "other-parts", "[ragcli.rerankers]\nshortest = guest_parts:reranker\n")
    sys.path.insert(0, str(site.parent / "more"))
    try:
        with pytest.raises(ConfigError, match="comes with guest-parts and other-parts"):
            METHODS["shortest"]
    finally:
        sys.path.remove(str(site.parent / "more"))


def test_a_file_of_the_working_tree_may_not_choose_a_part(site: Path, project: Path) -> None:
    (project / "rag.yaml").write_text("rerank: {method: shortest}\n", encoding="utf-8")
    done = run(site, "search", "x", cwd=project)
    assert done.code == ExitCode.USAGE
    assert "RAG_RERANK__METHOD=shortest" in done.err
    (project / "rag.yaml").write_text("ingest: {parsers: [semicolons]}\n", encoding="utf-8")
    assert run(site, "ingest", ".", cwd=project).code == ExitCode.USAGE


@pytest.mark.usefixtures("site")
def test_the_front_door_uses_every_kind(project: Path) -> None:
    config = {
        "embed.backend": "letters",
        "rerank.method": "shortest",
        "answer.provider": "first-passage",
        "index.engine": "elsewhere",
        "ingest.parsers": ["semicolons"],
    }
    with Index.create(project / "index", config=config) as index:
        files = {report.path: report for report in index.ingest([project]).parsed.files}
        assert files["rooms.semi"].documents == 1
        assert index.store.location.endswith("elsewhere")
        assert index.reader.engine.embedder.model == "letters"
        document = index.reader.engine.document("rooms.semi")
        assert (document.parser, document.media_type, document.title) == (
            "semicolons/3",
            "text/x-semicolons",
            "Semicolons",
        )
        found = index.search("Which room has a projector?")
        assert found.reranker == "shortest"
        result = index.ask("What is the password of the wifi?")
        assert (result.answer.provider, result.answer.sentences[0].status) == ("first-passage", "supported")


def test_the_commands_use_them_and_the_doctor_lists_them(site: Path, project: Path) -> None:
    done = run(site, "ingest", ".", "--json", cwd=project, **PARTS)
    assert (done.code, done.err) == (0, done.err)
    assert {file["path"]: file["documents"] for file in done.json["files"]}["rooms.semi"] == 1
    assert run(site, "search", "projector", "--json", cwd=project, **PARTS).json["reranker"] == "shortest"
    checks = {
        check["name"]: check["message"] for check in run(site, "doctor", "--json", cwd=project, **PARTS).json["checks"]
    }
    assert checks["other embedders"] == "broken (guest-parts 1.2), letters (guest-parts 1.2)"
    assert checks["other engines"] == "elsewhere (guest-parts 1.2)"
    assert json.dumps(checks).count("guest-parts") == 6
