"""The golden set and the matrix that the README shows can be used as they stand."""

from __future__ import annotations

import re
from pathlib import Path

from ragcli.config import load, parse_yaml
from ragcli.evaluate.golden_sets.file import parse_golden
from ragcli.evaluate.losses import STAGES
from ragcli.evaluate.matrix import read_matrix
from ragcli.evaluate.measuring.results import names_of
from ragcli.records import Judgment

SECTION = (
    (Path(__file__).resolve().parents[2] / "README.md")
    .read_text(encoding="utf-8")
    .partition("## Evaluation")[2]
    .partition("\n## ")[0]
)


def fenced(language: str) -> str:
    match = re.search(rf"^```{language}\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
    assert match is not None
    return match[1]


def test_the_golden_set() -> None:
    cases = parse_golden(fenced("json"), name="README").cases
    assert cases[0].judgments == (Judgment("hr/remote-policy.md", quote="limited to two days"),)
    assert [case.answerable for case in cases] == [True, True, False]


def test_the_matrix(tmp_path: Path) -> None:
    spec = read_matrix(parse_yaml(fenced("yaml"), "README"), "README")
    assert len(spec.rows) == 4
    for row in spec.rows:
        load(overrides=row.settings, environ={}, cwd=tmp_path)


def test_every_measure_named_exists_and_every_measure_is_named() -> None:
    kinds = {name.partition("@")[0] for name in names_of((5,), answers=True, extra=("answer_relevancy",))}
    named = {name.partition("@")[0] for name in re.findall(r"`([A-Za-z_0-9]+(?:@k)?)`", SECTION)}
    assert kinds <= named


def test_the_stages_are_those_of_the_losses() -> None:
    assert len(STAGES) == 16
    for word in ("not in the corpus", "not in the parsed text", "truncated", "filtered", "below the candidates"):
        assert any(stage.title.startswith(word) for stage in STAGES.values())
        assert word in SECTION
