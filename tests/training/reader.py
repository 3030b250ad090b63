"""Makes the reading model: ``python -m tests.training.reader prepare|train|evaluate|export FOLDER``.

The training data is ``reader/`` of the folder that RAGCLI_SHARED_DATA names. A run that was cut off goes on when its
``train`` command is given again.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import torch

from tests.training.card import write_card
from tests.training.export import compare, export
from tests.training.fitting import Plan, Run
from tests.training.measuring import by_set, load_measured, measure, torch_read
from tests.training.network import Reader
from tests.training.passes import count_rows, load_pass


def data_folder() -> Path:
    """Where the training rows lie. Raises SystemExit when RAGCLI_SHARED_DATA does not lead there."""
    root = os.environ.get("RAGCLI_SHARED_DATA", "")
    folder = Path(root) / "reader"
    if not root or not (folder / "train.jsonl.gz").exists():
        raise SystemExit(f"no {folder}/train.jsonl.gz: set RAGCLI_SHARED_DATA to the folder that holds reader/")
    return folder


def main(arguments: Sequence[str] | None = None) -> None:
    """One of the four steps."""
    parser = argparse.ArgumentParser(prog="python -m tests.training.reader", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    for name in ("prepare", "train", "evaluate", "export"):
        step = steps.add_parser(name)
        step.add_argument("folder", type=Path)
        step.add_argument("--threads", type=int, default=2)
        if name in ("evaluate", "export"):
            step.add_argument("--rows", type=int, default=None)
            continue
        for setting in fields(Plan):
            kind = type(setting.default)
            step.add_argument(f"--{setting.name.replace('_', '-')}", type=kind, default=setting.default)
    given = parser.parse_args(arguments)
    torch.set_num_threads(given.threads)
    if given.step in ("evaluate", "export"):
        {"evaluate": evaluate, "export": write_onnx}[given.step](given.folder, given.rows)
        return
    plan = Plan(**{setting.name: getattr(given, setting.name) for setting in fields(Plan)})
    if given.step == "prepare":
        given.folder.mkdir(parents=True, exist_ok=True)
        print(json.dumps(count_rows(load_pass(given.folder.parent, data_folder(), plan.seed, 0))))
    else:
        Run(given.folder, data_folder(), plan).fit()


def evaluate(folder: Path, rows: int | None) -> None:
    """Prints what the run's newest weights get right."""
    measured = load_measured(data_folder(), rows)
    read = torch_read(newest(folder))
    found = measure(read, measured) | {f"dev {name}": v for name, v in by_set(read, measured.sets["dev"]).items()}
    print(json.dumps({name: round(value, 4) for name, value in found.items()}, indent=1))


def write_onnx(folder: Path, rows: int | None) -> None:
    """Writes ``reader.onnx`` (float32), ``reader-int8.onnx`` and its card, and prints what was seen of them."""
    model = newest(folder, attention="eager")
    whole = export(model, folder / "reader.onnx", int8=False)
    small = export(model, folder / "reader-int8.onnx", int8=True)
    print(whole, small, sep="\n")
    print(write_card(folder, small, compare(small.path, whole.path, load_measured(data_folder(), rows))).read_text())


def newest(folder: Path, attention: str = "sdpa") -> Reader:
    """The run's weights: those of its end, or the last that it saved."""
    kept = folder / "model.pt" if (folder / "model.pt").exists() else folder / "last.pt"
    model = Reader(attention)
    model.load_state_dict(torch.load(kept, weights_only=True)["model"])
    return model.eval()


if __name__ == "__main__":
    main()
