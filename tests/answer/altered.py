"""Sentences with a true quote beside each: altered ones and honest paraphrases, and the status that each is given.

    python -m tests.answer.altered [altered.jsonl | held_out.jsonl]

A line of a file is a passage with its sentences; ``also`` names another passage that an altered sentence cites too.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragcli.answer.check.verify import verify
from ragcli.records import Answer, Claim
from tests.answer.passages import completion, passage

ALTERED, HELD_OUT = "altered.jsonl", "held_out.jsonl"
HONEST = "honest"


@dataclass(frozen=True, slots=True)
class Case:
    """One sentence with its answer; ``kind`` is what was altered, or ``honest``."""

    kind: str
    text: str
    answer: Answer

    @property
    def status(self) -> str:
        """The status of the sentence."""
        return self.answer.sentences[0].status


def cases(name: str) -> Iterator[Case]:
    """Every sentence of a file beside this module, checked."""
    rows = [json.loads(line) for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()]
    texts = {row["id"]: row["text"] for row in rows}
    for row in rows:
        for item in (*row["altered"], *row[HONEST]):
            others = [item["also"]] if item.get("also") else []
            passages = [passage(number, texts[one]) for number, one in enumerate([row["id"], *others], start=1)]
            quotes = (item["quote"], item["also_quote"]) if others else (item["quote"],)
            claim = Claim(item["text"], tuple(str(one.number) for one in passages), quotes)
            yield Case(item.get("kind", HONEST), item["text"], verify(completion(claim), passages, question="?"))


def main() -> None:
    """Prints every sentence with its status, the worst first, and the counts."""
    found = list(cases(sys.argv[1] if len(sys.argv) > 1 else ALTERED))
    for case in sorted(found, key=lambda case: (case.kind == HONEST, case.status, case.kind)):
        print(f"{case.kind:12} {case.status:13} {case.text}  {'; '.join(case.answer.notices)}")
    for altered in (True, False):
        statuses = [case.status for case in found if (case.kind != HONEST) == altered]
        counts = {status: statuses.count(status) for status in sorted(set(statuses))}
        print("altered" if altered else HONEST, len(statuses), counts)


if __name__ == "__main__":
    main()
