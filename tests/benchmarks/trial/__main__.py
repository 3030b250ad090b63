"""Asks the trial's questions and counts the verdicts passed on the answers.

    python -m tests.benchmarks.trial WORK_FOLDER [--sets own,18f_handbook] [--show all|unjudged|none] [--only ID,ID]
    python -m tests.benchmarks.trial WORK_FOLDER --judge VERDICTS

Each collection is ingested once into WORK_FOLDER, where the answers of the last run are kept. ``VERDICTS`` is a file
with ``ID VERDICT`` a line (right, partly, wrong) about those answers; they go beside the questions.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path

from ragcli.pipelines.asking.reader import Reader
from ragcli.records import Scope
from tests.benchmarks.trial.collections import COLLECTIONS, questions, reader_for
from tests.benchmarks.trial.verdicts import Judged, Verdict, judge, keep, table


def answer_to(reader: Reader, question: str) -> str:
    """What is shown as the answer; "" when the question is declined."""
    answer = reader.ask(question, Scope()).answer
    return answer.text if answer.found else ""


def run(name: str, work: Path, show: str, only: frozenset[str]) -> None:
    """Ask all questions about one collection, or ``only`` some; print the answers to read and the counts."""
    asked = [question for question in questions(name) if not only or question.id in only]
    reader = reader_for(name, work)
    judged = [judge(name, question.id, answer_to(reader, question.question)) for question in asked]
    for question, one in zip(asked, judged, strict=True):
        if show == "all" or (show == "unjudged" and one.verdict == "unjudged"):
            print(f"{one.id} [{one.verdict}] {question.question}\n   ? {question.expected or '–'}\n   > {one.answer}")
    lines = [json.dumps(dataclasses.asdict(one), ensure_ascii=False) for one in judged]
    (work / f"{name}.answers.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(table(name, asked, judged), flush=True)


def pass_verdicts(work: Path, verdicts: Path) -> None:
    """Keep verdicts on the answers of the last run."""
    said: dict[str, Verdict] = {}
    for line in verdicts.read_text(encoding="utf-8").splitlines():
        identifier, verdict = line.split()
        said[identifier] = verdict  # type: ignore[assignment]
    for path in sorted(work.glob("*.answers.jsonl")):
        last = [Judged(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
        keep(
            path.name.removesuffix(".answers.jsonl"),
            [dataclasses.replace(one, verdict=said[one.id]) for one in last if one.id in said],
        )


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--sets", default=",".join(COLLECTIONS))
    parser.add_argument("--show", choices=("all", "unjudged", "none"), default="unjudged")
    parser.add_argument("--only", default="", help="ids of questions, with commas between")
    parser.add_argument("--judge", type=Path, metavar="VERDICTS")
    options = parser.parse_args()
    if options.judge:
        pass_verdicts(options.work, options.judge)
        return
    only = frozenset(filter(None, options.only.split(",")))
    for name in options.sets.split(","):
        run(name, options.work, options.show, only)


if __name__ == "__main__":
    main()
