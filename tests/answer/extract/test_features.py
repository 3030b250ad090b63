"""The table of features: every weight has its feature, and the page that prints the table says what the code does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ragcli.answer.extract
from ragcli.answer.extract.candidates import candidates
from ragcli.answer.extract.confidence import SIGNS
from ragcli.answer.extract.features import FEATURES
from ragcli.answer.extract.scoring import ranked, weights
from tests.answer.passages import passage

ROOM = Path(ragcli.answer.extract.__file__).parent
FITS: dict[str, Any] = json.loads((ROOM / "weights.json").read_text(encoding="utf-8"))
BY_WORDS = [feature.name for feature in FEATURES if not feature.by_model]


def page() -> str:
    """The page as it should stand."""
    lines = [
        "# What the offline answerer looks at",
        "",
        "Printed from `features.py`, `confidence.py` and `weights.json`.",
    ]
    for heading, names, meanings in (
        ("Which candidate", ("candidates", "candidates_without_model"), {f.name: f.meaning for f in FEATURES}),
        ("Whether to answer", ("confidence", "confidence_without_model"), SIGNS),
    ):
        lines += ["", f"## {heading}", "", "| name | meaning | weight | without a model |", "|---|---|---|---|"]
        for name, meaning in meanings.items():
            cells = [str(FITS[fit]["weights"].get(name, "–")) for fit in names]
            lines.append(f"| `{name}` | {meaning} | {cells[0]} | {cells[1]} |")
        lines += [text for fit in names for text in ("", f"`{fit}`: {FITS[fit]['how']} {FITS[fit]['held_out']}")]
    return "\n".join(lines) + "\n"


def test_the_page_says_what_the_code_does() -> None:
    assert (ROOM / "FEATURES.md").read_text(encoding="utf-8") == page()


@pytest.mark.parametrize(
    ("fit", "known"),
    [
        ("candidates", [feature.name for feature in FEATURES]),
        ("candidates_without_model", BY_WORDS),
        ("confidence", ["intercept", *SIGNS]),
        ("confidence_without_model", ["intercept", *SIGNS]),
    ],
)
def test_every_weight_weighs_something(fit: str, known: list[str]) -> None:
    assert set(weights(fit)) <= set(known)


def test_every_feature_is_weighed() -> None:
    assert {feature.name for feature in FEATURES} == set(weights("candidates")) | set(
        weights("candidates_without_model")
    )
    assert set(SIGNS) <= set(weights("confidence")) | set(weights("confidence_without_model"))


def test_features_of_a_candidate_in_figures() -> None:
    text = "The pump fails. It needs 40 bar."
    found = candidates((passage(1, text, dense=0.5),))
    values = {seen.item.plain: dict(seen.values) for seen, _ in ranked("How many bar does the pump need?", found, None)}
    fails, needs = values["The pump fails."], values["It needs 40 bar."]
    assert needs["offers"] == 1 and fails["offers"] == 0
    assert 0 < fails["own_overlap"] < needs["own_overlap"] < needs["near_overlap"] == 1
    assert set(fails) == set(BY_WORDS)
