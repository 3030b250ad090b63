"""A short command loads nothing that it did not load before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.import_budget import COMMANDS, KEPT, loaded, project

ALLOWED = json.loads(KEPT.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("budget"))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_loads_what_it_is_allowed(command: str, folder: Path) -> None:
    new = [name for name in loaded(command, folder) if name not in ALLOWED[command]]
    assert not new, f"rag {command} loads {', '.join(new)} too: needed? then python -m tests.import_budget"


def test_what_is_heavy_is_in_no_budget_without_need() -> None:
    assert not {"numpy (package)", "tantivy (package)", "rich (package)"} & set(ALLOWED["--help"])
    assert not {"onnxruntime (package)", "tokenizers (package)"} & set(ALLOWED["search --mode bm25"])
    for names in ALLOWED.values():
        assert not {"torch (package)", "sentence_transformers (package)", "anthropic (package)"} & set(names)
