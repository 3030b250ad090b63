"""The training loop: a run is a folder that the same command continues, wherever it was cut off.

The rate rises over the first rows, stays, and falls to nothing over the last share of them; the state before the fall
is kept, so that a longer run can go on from it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

import torch

from tests.training.measuring import Measured, load_measured, measure, torch_read
from tests.training.network import Reader, losses, tensors, total
from tests.training.passes import batches, count_rows, load_pass
from tests.training.tokens import Encoded, make_batch


@dataclass(frozen=True)
class Plan:
    """A run's settings; they are kept with it, and another plan cannot continue it."""

    rows: int = 80_000
    rate: float = 1.5e-4
    warm_share: float = 0.05
    fall_share: float = 0.3
    most: int = 144
    tokens: int = 3072
    decay: float = 0.01
    seed: int = 1
    measure_every: int = 8_000
    measured_rows: int = 700
    save_seconds: int = 300
    start_from: str = ""

    def rate_at(self, rows: int) -> float:
        """The rate after ``rows`` rows."""
        warm, fall = self.warm_share * self.rows, self.fall_share * self.rows
        return self.rate * min(1.0, rows / max(warm, 1.0), max(0.0, (self.rows - rows) / max(fall, 1.0)))


@dataclass
class Progress:
    """Where a run stands. ``rows`` counts rows read, ``pass_number`` and ``batch`` say where the next begins."""

    rows: int = 0
    pass_number: int = 0
    batch: int = 0
    cpu_seconds: float = 0.0
    fallen: bool = False


class Run:
    """A run in its folder: ``plan.json``, ``last.pt``, ``before_fall.pt``, ``curve.jsonl``; at the end ``model.pt``."""

    def __init__(self, folder: Path, data: Path, plan: Plan) -> None:
        self.folder, self.data, self.plan = folder, data, plan
        folder.mkdir(parents=True, exist_ok=True)
        _same_plan(folder / "plan.json", plan)
        torch.manual_seed(plan.seed)
        self.model = Reader()
        self.optimizer = torch.optim.AdamW(_parameters(self.model, plan.decay), lr=plan.rate, betas=(0.9, 0.98))
        self.progress = Progress()
        self._cpu_before = 0.0
        self._restore()

    def _restore(self) -> None:
        last = self.folder / "last.pt"
        if last.exists():
            state = torch.load(last, weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.progress = Progress(**state["progress"])
            self._cpu_before = self.progress.cpu_seconds
        elif self.plan.start_from:
            state = torch.load(self.plan.start_from, weights_only=True)
            self.model.load_state_dict(state["model"])
            if "optimizer" in state:
                self.optimizer.load_state_dict(state["optimizer"])

    def _save(self, name: str = "last.pt") -> None:
        self.progress.cpu_seconds = self._cpu_before + time.process_time()
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "progress": asdict(self.progress),
        }
        aside = self.folder / f"{name}.part"
        torch.save(state, aside)
        aside.replace(self.folder / name)

    def fit(self) -> None:
        """Trains to the plan's last row, saving, measuring and noting the curve on the way."""
        measured = load_measured(self.data, self.plan.measured_rows)
        saved, due = time.monotonic(), _next_due(self.progress.rows, self.plan.measure_every)
        sums: dict[str, float] = {}
        steps = 0
        for rows in self._batches():
            for name, value in self._step(rows).items():
                sums[name] = sums.get(name, 0.0) + value
            steps += 1
            if not self.progress.fallen and self.progress.rows >= (1 - self.plan.fall_share) * self.plan.rows:
                self.progress.fallen = True
                self._save("before_fall.pt")
            if time.monotonic() - saved > self.plan.save_seconds:
                self._save()
                saved = time.monotonic()
            if self.progress.rows >= due:
                self._note(measured, {name: value / steps for name, value in sums.items()})
                sums, steps, due = {}, 0, _next_due(self.progress.rows, self.plan.measure_every)
        self._save()
        torch.save({"model": self.model.state_dict()}, self.folder / "model.pt")
        self._note(measured, {name: value / max(steps, 1) for name, value in sums.items()})

    def _batches(self) -> Iterator[list[Encoded]]:
        plan, progress = self.plan, self.progress
        while progress.rows < plan.rows:
            groups = load_pass(self.folder.parent, self.data, plan.seed, progress.pass_number)
            if progress.batch == 0:
                print(f"pass {progress.pass_number}: {count_rows(groups)}", flush=True)
            order = batches(groups, plan.most, plan.tokens, f"{plan.seed}/{progress.pass_number}")
            for rows in order[progress.batch :]:
                if progress.rows >= plan.rows:
                    return
                progress.batch += 1  # before it is read: what is saved after the step says where the next begins
                yield rows
            progress.pass_number, progress.batch = progress.pass_number + 1, 0

    def _step(self, rows: list[Encoded]) -> dict[str, float]:
        draw = Random(f"{self.plan.seed}/{self.progress.rows}")
        batch = make_batch(rows, self.plan.most, draw)
        torch.manual_seed(draw.getrandbits(32))  # what is dropped does not depend on where a run was cut off
        self.model.train()
        for group in self.optimizer.param_groups:
            group["lr"] = self.plan.rate_at(self.progress.rows)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores, ends = self.model(*tensors(batch))
        parts = losses(scores, ends, batch)
        total(parts).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.progress.rows += len(rows)
        return {name: float(value.detach()) for name, value in parts.items()}

    def _note(self, measured: Measured, train_losses: dict[str, float]) -> None:
        cpu = self._cpu_before + time.process_time()
        line: dict[str, Any] = {"rows": self.progress.rows, "cpu_seconds": round(cpu)}
        line |= {name: round(value, 4) for name, value in train_losses.items()}
        line |= {name: round(value, 4) for name, value in measure(torch_read(self.model), measured).items()}
        with (self.folder / "curve.jsonl").open("a", encoding="utf-8") as curve:
            curve.write(json.dumps(line) + "\n")
        print(json.dumps(line), flush=True)


def _same_plan(path: Path, plan: Plan) -> None:
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept != asdict(plan):
            raise SystemExit(f"{path}: the run has another plan: {kept}, not {asdict(plan)}; name another folder")
    else:
        path.write_text(json.dumps(asdict(plan), indent=1) + "\n", encoding="utf-8")


def _next_due(rows: int, every: int) -> int:
    return (rows // every + 1) * every


def _parameters(model: Reader, decay: float) -> list[dict[str, Any]]:
    trained = [(name, value) for name, value in model.named_parameters() if value.requires_grad]
    plain = [value for name, value in trained if value.ndim < 2]
    decayed = [value for name, value in trained if value.ndim >= 2]
    return [{"params": decayed, "weight_decay": decay}, {"params": plain, "weight_decay": 0.0}]
