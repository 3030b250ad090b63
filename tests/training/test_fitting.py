"""A run that is cut off goes on to the same weights."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import torch

from tests.training.fitting import Plan, Run
from tests.training.tokens import Encoded

ARTICLES = ("Warsaw", "Normans", "Huguenot", "Oxygen")
PLAN = Plan(
    rows=24, rate=1e-4, fall_share=0.5, most=32, tokens=128, measure_every=1000, measured_rows=16, save_seconds=0
)  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Four articles with three groups each, of a row that answers and one that does not."""
    rows = []
    for number in range(12):
        title = ARTICLES[number % 4]
        row = {
            "id": f"r{number}", "set": "squad2_open", "question": f"What has {title} beside number {number}?",
            "title": title, "passage": f"Beside number {number} stands a tower.", "answer": "a tower",
            "start": len(f"Beside number {number} stands "), "answerable": True, "span": "short", "group": f"g{number}",
        }  # fmt: skip
        bare = {"answer": "", "start": -1, "answerable": False, "span": "none", "neg": "unanswerable"}
        rows += [row, row | bare | {"id": f"n{number}", "passage": "No tower is told of here."}]
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("train", "dev"):
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return folder


def test_a_run_that_is_cut_off_goes_on_to_the_same_weights(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Run(tmp_path / "whole", data, PLAN).fit()
    step = Run._step
    taken: list[list[Encoded]] = []

    def cut_off(run: Run, rows: list[Encoded]) -> dict[str, float]:
        if len(taken) == 3:
            raise KeyboardInterrupt
        taken.append(rows)
        return step(run, rows)

    with monkeypatch.context() as patch:
        patch.setattr(Run, "_step", cut_off)
        with pytest.raises(KeyboardInterrupt):
            Run(tmp_path / "cut", data, PLAN).fit()
    going_on = Run(tmp_path / "cut", data, PLAN)
    assert 0 < going_on.progress.rows < PLAN.rows
    going_on.fit()
    whole, cut = (torch.load(tmp_path / name / "model.pt", weights_only=True)["model"] for name in ("whole", "cut"))
    assert all(torch.equal(whole[name], cut[name]) for name in whole)
    assert (tmp_path / "cut" / "before_fall.pt").exists()
    curve = [json.loads(line) for line in (tmp_path / "cut" / "curve.jsonl").read_text().splitlines()]
    assert curve[-1]["rows"] == going_on.progress.rows >= PLAN.rows
    assert {"squad2 score", "dev margin", "answers", "span"} <= set(curve[-1])


def test_a_run_goes_on_with_its_own_plan_alone(data: Path, tmp_path: Path) -> None:
    Run(tmp_path / "run", data, PLAN)
    with pytest.raises(SystemExit, match="another plan"):
        Run(tmp_path / "run", data, Plan(rows=25))
