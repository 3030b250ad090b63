"""Forty follow-up questions over the sample corpus: ``python -m tests.pipelines.asking.follow_ups WORK_FOLDER``.

Each was written, with what its answer must hold, before any answer was seen; an empty list means that nothing is asked.
An answer is right when it holds one of the texts, or declines where nothing is asked.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragcli import Index
from ragcli.config import load

CASES = Path(__file__).with_name("follow_ups.jsonl")
SAMPLE = Path(__file__).parents[3] / "sample_corpus"


@dataclass(frozen=True)
class Verdict:
    """A follow-up, whether it was answered rightly, the question that was answered, and what was printed."""

    question: str
    right: bool
    asked: str
    answer: str
    notices: tuple[str, ...]

    @property
    def misleads(self) -> bool:
        """Whether a wrong answer was given without a word on how the question was read."""
        read = self.asked != self.question or any(notice.startswith("asked of") for notice in self.notices)
        return not self.right and bool(self.answer) and not read


def verdicts(index: Index) -> Iterator[Verdict]:
    """Every case, asked in a conversation of its own."""
    for number, line in enumerate(CASES.read_text(encoding="utf-8").splitlines()):
        case = json.loads(line)
        session = f"case{number}"
        for earlier in case["history"]:
            index.ask(earlier, session=session)
        answer = index.ask(case["question"], session=session).answer
        text = " ".join(answer.text.split())
        wanted = [" ".join(one.split()) for one in case["contains"]]
        right = any(one in text for one in wanted) if wanted else not answer.found
        yield Verdict(case["question"], right, answer.standalone_question, text if answer.found else "", answer.notices)


def main() -> None:
    folder = Path(sys.argv[1])
    index = Index(load(overrides={"index.path": str(folder / "index")}, environ={}, cwd=folder))
    index.ingest(SAMPLE)
    found = list(verdicts(index))
    for one in found:
        print("right" if one.right else "WRONG", one.question, one.asked, one.answer[:150] or "(declined)", sep=" | ")
    right, misleading = sum(one.right for one in found), sum(one.misleads for one in found)
    print(f"{right} of {len(found)} right, {misleading} misleading")


if __name__ == "__main__":
    main()
