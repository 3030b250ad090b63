"""True sentences with one fact changed: how often the check still calls them supported (it never should).

    python -m tests.benchmarks.answers_edits [--edits 1000] [--seed 7]

Sentences come from the documents of the public golden sets. Each is edited once: another number, date or name, a
negation put in or taken out. The edited sentence is cited with the true one as its quote, and once more with itself.
"""

from __future__ import annotations

import argparse
import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ragcli.answer.check.verify import verify
from ragcli.language.facts import facts
from ragcli.language.sentences import sentence_spans
from ragcli.language.words import words
from ragcli.records import Chunk, Claim, Completion, Passage, Span

SETS = ("squad2", "xquad_en", "anthropic_docs", "pubmedqa")
KINDS = ("number", "date", "name", "negation")
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|will|would|should|must|may|does|did)\b(?! (?:not|never|no)\b)"
)
_NEGATED = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|will|would|should|must|may|does|do|did) not\b|\bcannot\b|\bnever\b"
)


def shared_data() -> Path:
    """The folder of the public data."""
    named = os.environ.get("RAGCLI_SHARED_DATA")
    return Path(named) if named else Path(__file__).resolve().parents[3] / "shared" / "data"


def paragraphs(folder: Path) -> Iterator[str]:
    """Paragraphs of running text of every set's documents."""
    for name in SETS:
        for path in sorted((folder / "golden" / name / "docs").rglob("*.md")):
            for paragraph in path.read_text(encoding="utf-8", errors="replace").split("\n\n"):
                if len(paragraph) > 200 and not paragraph.lstrip().startswith(("#", "|", "-", "```", "<")):
                    yield paragraph.strip()


def edited(sentence: str, paragraph: str, kind: str, draw: random.Random) -> str | None:
    """``sentence`` with one fact of this kind changed; None when it has none."""
    if kind == "negation":
        return _negated(sentence)
    found = [fact for fact in facts(sentence) if fact.kind == kind]
    if kind == "number":
        found = [fact for fact in found if re.fullmatch(r"\d+", fact.text)]
    if not found:
        return None
    fact = draw.choice(found)
    new = _other(fact.text, kind, paragraph, draw)
    return None if new is None else sentence[: fact.start] + new + sentence[fact.end :]


def _other(old: str, kind: str, paragraph: str, draw: random.Random) -> str | None:
    if kind == "number":
        return str(int(old) + draw.choice([1, 2, 7, 10, 90]))
    if kind == "date":
        return re.sub(r"\d+", lambda match: str(int(match.group()) % 28 + 1), old, count=1)
    others = sorted({fact.text for fact in facts(paragraph) if fact.kind == "name"} - {old})
    stems = {word.stem for word in words(old)}
    others = [name for name in others if not {word.stem for word in words(name)} & stems] + ["Brindlewood"]
    return draw.choice(others)


def _negated(sentence: str) -> str | None:
    if match := _NEGATED.search(sentence):
        said = {"cannot": "can", "never": "always"}.get(match.group(), match[1])
        return sentence[: match.start()] + str(said) + sentence[match.end() :]
    match = _AUXILIARY.search(sentence)
    return None if match is None else f"{sentence[: match.end()]} not{sentence[match.end() :]}"


def edits(folder: Path, count: int, seed: int) -> Iterator[tuple[str, str, str, str]]:
    """(kind, paragraph, true sentence, edited sentence), the kinds in turn."""
    draw = random.Random(seed)
    pool = sorted(set(paragraphs(folder)))
    draw.shuffle(pool)
    made: Counter[str] = Counter()
    for paragraph in pool * 3:
        spans = [span for span in sentence_spans(paragraph) if 40 < len(span) < 400]
        if not spans or made.total() >= count:
            continue
        sentence = draw.choice(spans).of(paragraph)
        for kind in sorted(KINDS, key=lambda kind: made[kind]):
            new = edited(sentence, paragraph, kind, draw)
            if new is not None and new != sentence:
                made[kind] += 1
                yield kind, paragraph, sentence, new
                break


def status(paragraph: str, text: str, quote: str) -> str:
    """The status of one sentence, citing the paragraph with this quote."""
    span = Span(0, len(paragraph))
    passage = Passage(1, Chunk("d#1", "d", 1, span, paragraph, ""), paragraph, span, "d")
    answer = verify(Completion(True, (Claim(text, ("1",), (quote,)),), "edit", ""), (passage,), question="?")
    return answer.sentences[0].status


def main() -> None:
    """Prints a table: statuses of the true sentences, and of the edited ones by kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    table: dict[str, Counter[str]] = {}
    for kind, paragraph, sentence, new in edits(shared_data(), options.edits, options.seed):
        table.setdefault("true", Counter())[status(paragraph, sentence, sentence)] += 1
        for quote in (sentence, new):
            found = status(paragraph, new, quote)
            table.setdefault(kind, Counter())[found] += 1
            if found == "supported":
                print(f"STILL SUPPORTED ({kind}):\n  {sentence}\n  {new}")
    statuses = ("supported", "paraphrase", "unsupported")
    print(f"{'edit':10} {'n':>6} " + " ".join(f"{name:>12}" for name in statuses))
    for kind, counts in table.items():
        print(f"{kind:10} {counts.total():6} " + " ".join(f"{counts[name]:12}" for name in statuses))


if __name__ == "__main__":
    main()
