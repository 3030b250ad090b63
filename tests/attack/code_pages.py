"""Short texts in code pages that nothing names: is every character read as it was written?

A reading that is wrong and says that it is not sure counts apart: what gets through is a wrong text without a word.
The sentences are made for this test: notes and rules of an office, some forty languages, with the code pages that were
in use for them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragcli.parse.decode import Decoded, decode
from tests.attack import Outcome

LENGTHS = (40, 80, 140, 260)
"""Characters of a snippet; the shortest is a line."""

_ROWS = Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines()
TEXTS = {language: (tuple(pages.split()), text) for language, pages, text in (row.split("\t") for row in _ROWS)}
"""By language the code pages it was written in, and sentences."""


@dataclass(frozen=True)
class Snippet:
    """A text, the language it is in and the code page it is written in."""

    language: str
    encoding: str
    text: str


def snippets(tries: int, seed: int) -> Iterator[Snippet]:
    """Stretches of the texts, from the beginning of a word, every language and code page as often as the others."""
    chance = random.Random(seed)
    pairs = [(language, page) for language, (pages, _) in TEXTS.items() for page in pages]
    for number in range(tries):
        language, page = pairs[number % len(pairs)]
        whole = TEXTS[language][1]
        length = LENGTHS[number // len(pairs) % len(LENGTHS)]
        start = chance.randrange(max(1, len(whole) - length))
        text = whole[start : start + length]
        cut = text.find(" ")
        text = (text[cut + 1 :] if 0 <= cut < 15 else text).encode(page, "ignore").decode(page)
        if not text.isascii():
            yield Snippet(language, page, text)


def tried(snippet: Snippet) -> tuple[bool, Decoded]:
    """Whether a snippet is read as it was written, and the reading."""
    found = decode(snippet.text.encode(snippet.encoding))
    return found.text == snippet.text, found


def run(tries: int, seed: int) -> Outcome:
    """Wrong readings without a warning."""
    count, failures = 0, []
    for snippet in snippets(tries, seed):
        count += 1
        right, found = tried(snippet)
        if not right and not found.warnings:
            failures.append(f"{snippet.language} in {snippet.encoding} as {found.encoding}: {snippet.text[:40]!r}")
    return Outcome("code_pages", count, failures)


def main() -> None:
    """How many are right, wrong with a warning and wrong without, and what warnings cost on right ones."""
    import collections
    import sys

    counts: collections.Counter[str] = collections.Counter()
    wrong: collections.Counter[str] = collections.Counter()
    for snippet in snippets(int(sys.argv[1]) if len(sys.argv) > 1 else 600, 1):
        right, found = tried(snippet)
        counts[f"{'right' if right else 'wrong'}{', warned' if found.warnings else ''}"] += 1
        if not right:
            wrong[f"{snippet.language} {snippet.encoding} -> {found.encoding}"] += 1
    print(dict(counts))
    for what, times in wrong.most_common():
        print(times, what)


if __name__ == "__main__":
    main()
