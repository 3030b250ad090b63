"""The deterministic support check against human labels: precision and recall of "supported".

    python -m tests.benchmarks.answers_support

Sets: BEGIN (a response and the knowledge it should rest on), Climate-FEVER (a claim and an evidence sentence), SciFact
(a claim and its cited abstract). The check sees the context as the only passage; ``supported`` and ``paraphrase`` count
as supported. Contradicted and undecided claims are not supported; rows labelled generic are left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ragcli.answer.check.support import check
from ragcli.language.sentences import sentence_spans
from tests.benchmarks.answers_edits import shared_data

SETS = ("begin_faithfulness", "climate_fever_faithfulness", "scifact")
CARRIED = ("verbatim", "carried")


def is_supported(response: str, context: str) -> bool:
    """Whether every sentence of the response is carried by the context."""
    sentences = [span.of(response) for span in sentence_spans(response)]
    return bool(sentences) and all(check(sentence, context).support in CARRIED for sentence in sentences)


def labelled(folder: Path, name: str) -> Iterator[tuple[str, str, bool]]:
    """(response, context, supported) of a set."""
    if name == "scifact":
        yield from _scifact(folder / name)
        return
    for line in (folder / name / "faithfulness.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        if row["label"] != "generic":
            yield row["response"], row["context"], row["label"] == "supported"


def _scifact(folder: Path) -> Iterator[tuple[str, str, bool]]:
    texts = {row["id"]: row["text"] for row in map(json.loads, (folder / "corpus.jsonl").open(encoding="utf-8"))}
    for line in (folder / "golden.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        yield (
            row["question"],
            "\n".join(texts[name] for name in row["expected_sources"]),
            row["expected_answer"] == "SUPPORT",
        )


def main() -> None:
    """Prints a line a set."""
    print(f"{'set':28} {'rows':>5} {'supported':>10} {'precision':>10} {'recall':>7} {'specificity':>12}")
    for name in SETS:
        found: Counter[tuple[bool, bool]] = Counter()
        for response, context, supported in labelled(shared_data() / "golden", name):
            found[is_supported(response, context), supported] += 1
        right, wrong = found[True, True], found[True, False]
        positive, negative = right + found[False, True], wrong + found[False, False]
        precision = right / (right + wrong) if right + wrong else float("nan")
        print(
            f"{name:28} {found.total():5} {positive:10} {precision:10.3f} {right / positive:7.3f} "
            f"{found[False, False] / negative:12.3f}"
        )


if __name__ == "__main__":
    main()
