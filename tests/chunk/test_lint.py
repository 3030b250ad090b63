"""Each rule of the lint finds its fault and leaves sound chunks alone."""

from __future__ import annotations

import dataclasses

import pytest

from ragcli.chunk.lint import RULES, ChunkDoubt, lint, report
from ragcli.records import Chunk, Span

SOUND = "The remote work policy lets every employee work from home on two days of each week, as agreed with the lead."


def chunk(text: str, ordinal: int = 2, **fields: object) -> Chunk:
    made = Chunk(f"a#{ordinal}", "a", ordinal, Span(0, len(text)), text, "Title", token_count=len(text.split()))
    return dataclasses.replace(made, **fields)  # type: ignore[arg-type]


def rules(*chunks: Chunk) -> list[str]:
    return [finding.rule for finding in lint(chunks)]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Short words.", "tiny"),
        (f"It also applies abroad. {SOUND}", "points back"),
        (f"Diese gilt auch. {SOUND}", "points back"),
        (f"“They may not. {SOUND}", "points back"),
        (f"それは大切です。{SOUND}", "points back"),
        (f"and then goes on. {SOUND}", "mid-sentence"),
        ("| E-1 | the pump is broken |\n" * 6, "headless table"),
        ("1 2 3 4 5 | 6.5 7,000 (8) 9 % " * 4, "no words"),
    ],
)
def test_a_fault_is_named(text: str, rule: str) -> None:
    assert rules(chunk(text)) == [rule]
    assert rule in RULES


def test_a_sound_chunk_raises_nothing() -> None:
    table = "| Code | Cause |\n| --- | --- |\n" + "| E-1 | the pump is broken |\n" * 6
    item = "Items agree with this list of what is needed: " + SOUND
    assert rules(chunk(SOUND), chunk(table, 3), chunk(item, 4), chunk(f"print(value)\n{SOUND} one", 5)) == []


def test_what_a_chunk_repeats_or_was_told_makes_up_for_its_start() -> None:
    text = f"It also applies abroad. {SOUND}"
    assert rules(chunk(text, lead="You may not:"), chunk(text + " Two.", context="About work.")) == []
    assert rules(chunk("| E-1 | the pump is broken |\n" * 6, lead="| Code | Cause |\n| --- | --- |")) == []
    assert rules(chunk(text, 1)) == []


def test_orphans_and_repeats_are_named() -> None:
    assert rules(chunk(SOUND, title="")) == ["orphan"]
    found = list(lint([chunk(SOUND, 2), chunk(SOUND, 3)]))
    assert [(f.chunk_id, f.rule, f.excerpt) for f in found] == [("a#3", "repeated", "a#2")]


def test_the_report_counts_everything_and_keeps_the_first_examples() -> None:
    found = report([chunk("Tiny one.", n) for n in range(2, 7)] + [chunk(SOUND, 8, title="")], examples=2)
    assert found.counts == (("tiny", 5), ("orphan", 1), ("repeated", 4))
    assert found.examples[:3] == (
        ChunkDoubt("a#2", "tiny", "Tiny one."),
        ChunkDoubt("a#3", "tiny", "Tiny one."),
        ChunkDoubt("a#8", "orphan", SOUND[:80].strip()),
    )
