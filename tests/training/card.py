"""The card that ships beside the weights, filled from the run and from what was measured of its export."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.training.export import PASSAGE_TOKENS, PASSAGES, Exported

_TEMPLATE = Path(__file__).with_name("card.md")


def write_card(run: Path, exported: Exported, measures: Mapping[str, tuple[float, float]]) -> Path:
    """Writes ``CARD.md`` into the run's folder; ``measures`` are by the float32 and by the int8 file."""
    plan = json.loads((run / "plan.json").read_text(encoding="utf-8"))
    progress = json.loads((run / "curve.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    lines = [f"| {name} | {whole:.3f} | {small:.3f} |" for name, (whole, small) in measures.items()]
    filled = _TEMPLATE.read_text(encoding="utf-8").format(
        file=exported.path.name,
        megabytes=exported.megabytes,
        sha256=exported.sha256,
        cpu_seconds=exported.cpu_seconds,
        passages=PASSAGES,
        passage_tokens=PASSAGE_TOKENS,
        most=plan["most"],
        seed=plan["seed"],
        rows=progress["rows"],
        cpu_hours=progress["cpu_seconds"] / 3600,
        measures="\n".join(lines),
    )
    card = run / "CARD.md"
    card.write_text(filled, encoding="utf-8")
    return card
