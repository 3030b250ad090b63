"""Every command that prints, asked by groups that may not see everything: nothing of what is closed may show.

A corpus has documents for several groups, each with words, a name, a title and a metadata key of its own (canaries).
Some were open when questions were asked about them and are closed now. A command is run as some groups would run it:

- no canary of a document closed to them may be printed, unless the asker typed it or an open document names it;
- what is printed must be what an index prints that never held the closed documents: text, names, counts and errors.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import re
import string
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.attack import Outcome
from tests.cli.running import Ran, here

GROUPS = ("hr", "it", "board")
ACCESS = ((), (), (), ("hr",), ("it",), ("board",), ("hr", "it"))
COMMON = "The office pays a bonus for travel by train every month and the policy names a limit of days".split()
GERMAN = "Das Büro zahlt jeden Monat einen Zuschlag für Reisen mit der Bahn und nennt eine Grenze".split()
_TRIES_A_CORPUS = 500
_UNTRACED = {"RAG_TRACE__ENABLED": "false"}  # a question that guesses a canary is not to be found in the log
_WHEN = 1_767_225_600
_VARIES = re.compile(
    r"""\b\d{8}T\d{6}-[0-9a-f]{8}\b|\bv\d{6}\b|\b\d+(?:\.\d+)?\ m?s\b|milliseconds:\ [^\n]*|"p\d\d":\ ?[\d.]+
    |"(?:timings_ms|seconds)":\ ?\{[^}]*\}|"(?:created|config_hash)":\ ?"[^"]*"|(?:median|p95)\ ms\ +\S+""",
    re.X,
)


@dataclass
class Document:
    """A file of the corpus with what tells it from all others; ``acl`` is what holds in the end."""

    name: str
    text: str
    acl: tuple[str, ...]
    canaries: tuple[str, ...]
    opened_first: bool = False

    def write(self, root: Path, *, first: bool) -> None:
        """Write it as it is in the end, or as it was at ``first``."""
        acl = () if first and self.opened_first else self.acl
        path = root / self.name
        path.parent.mkdir(parents=True, exist_ok=True)
        front = f"---\nacl: [{', '.join(acl)}]\n" if acl else "---\n"
        path.write_text(front + self.text)
        os.utime(path, (_WHEN, _WHEN))

    def is_open_to(self, groups: Sequence[str]) -> bool:
        """Whether someone in these groups may see it now."""
        return not self.acl or not set(self.acl).isdisjoint(groups)


@dataclass
class Corpus:
    """A project with all documents, and one for each set of groups with those alone that it may see."""

    folder: Path
    documents: list[Document]
    traces: list[str] = field(default_factory=list)

    def twin(self, groups: Sequence[str]) -> Path:
        """The project that never held what is closed to the groups; made when it is first needed."""
        folder = self.folder.parent / ("only-" + "-".join(sorted(groups)))
        if not folder.exists():
            _project(folder, [item for item in self.documents if item.is_open_to(groups)], first=False)
            _ingest(folder)
            (folder / "golden.jsonl").write_text((self.folder / "golden.jsonl").read_text())
        return folder

    def closed_to(self, groups: Sequence[str]) -> list[Document]:
        """The documents that nothing may show of."""
        return [item for item in self.documents if not item.is_open_to(groups)]


def _word(draw: random.Random) -> str:
    return "zq" + "".join(draw.choices(string.ascii_lowercase, k=8))


def _documents(draw: random.Random) -> list[Document]:
    made = []
    for number in range(14):
        word, name, title, key = (_word(draw) for _ in range(4))
        acl = draw.choice(ACCESS) if number > 3 else ACCESS[number + 2]
        words = GERMAN if draw.random() < 0.25 and acl else COMMON
        sentences = [" ".join(draw.sample(words, k=9)) + f" {word}." for _ in range(draw.randrange(1, 4))]
        older = draw.choice(made).name if made and draw.random() < 0.3 else ""
        lines = [f"title: {title.capitalize()} pay", f"{key}: yes-{key}", f"tags: [{key}t]"]
        lines += [f"supersedes: {older}"] if older else []
        text = (
            "\n".join(lines)
            + f"\n---\n# {title.capitalize()} pay\n\n## Rules {name}\n\n"
            + "\n\n".join(sentences)
            + "\n"
        )
        canaries = (word, name, title, key)
        made.append(Document(f"{draw.choice(('a', 'b/c'))}/{name}.md", text, acl, canaries, draw.random() < 0.5))
    return made


def _project(folder: Path, documents: Sequence[Document], *, first: bool) -> None:
    (folder / "docs").mkdir(parents=True, exist_ok=True)
    (folder / "rag.yaml").write_text("retrieve: {mode: bm25}\n")
    for item in documents:
        item.write(folder / "docs", first=first)


def _ingest(folder: Path) -> None:
    ran = here("ingest", "docs", cwd=folder)
    assert ran.code == 0, ran.err


def _golden(documents: Sequence[Document], draw: random.Random) -> str:
    rows: list[dict[str, Any]] = []
    for item in documents:
        quote = item.text.split("\n\n")[2].split(".")[0]
        label = draw.choice(({"source": item.name}, {"source": item.name, "quote": quote}, {"source": "a/none.md"}))
        words = " ".join(draw.sample(COMMON, k=4))
        rows.append({"question": f"{words} {item.canaries[0]}?", "expected": [label]})
        rows[-1] |= {"expected_answer_contains": item.canaries[0]} if draw.random() < 0.5 else {}
    return "".join(json.dumps(row) + "\n" for row in rows)


@contextlib.contextmanager
def corpus(seed: int) -> Iterator[Corpus]:
    """A corpus with a past: questions asked by several groups before some documents were closed."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="ragcli-leaks-") as place:
        made = Corpus(Path(place) / "all", _documents(draw))
        _project(made.folder, made.documents, first=True)
        (made.folder / "golden.jsonl").write_text(_golden(made.documents, draw))
        _ingest(made.folder)
        for number in range(8):
            groups = draw.sample(GROUPS, k=draw.randrange(4))
            question = " ".join(draw.sample(COMMON, k=5)) + "?"
            line = ("ask", question, "--session", f"talk{number % 3}", "--json", *_as(groups))
            made.traces.append(here(*line, cwd=made.folder).json["trace_id"])
        _project(made.folder, made.documents, first=False)
        _ingest(made.folder)
        assert here("index", "--rebuild", cwd=made.folder).code == 0  # what was deleted counts until then
        yield made


def _as(groups: Sequence[str]) -> list[str]:
    return list(itertools.chain.from_iterable(("--as", group) for group in groups))


Command = Callable[[random.Random, Corpus], list[str]]


def _question(draw: random.Random, made: Corpus) -> str:
    words = draw.sample(COMMON, k=draw.randrange(1, 5))
    if draw.random() < 0.5:
        words += draw.sample(draw.choice(made.documents).canaries, k=1)
    return " ".join(words)


def _options(draw: random.Random, made: Corpus) -> list[str]:
    item = draw.choice(made.documents)
    key = item.canaries[3]
    choices = (
        ["--filter", f"meta.{key}=yes-{key}"],
        ["--filter", f"tag={key}t"],
        ["--filter", f"source={item.name}"],
        ["--filter", "source~b/**"],
        ["--filter", f"mete.{key}=x"],
        ["--filter", "lang=de"],
        ["--include-superseded"],
        ["--as-of", "2026-01-01"],
        ["-k", str(draw.randrange(1, 20))],
    )
    return [part for option in draw.sample(choices, k=draw.choice((0, 0, 1, 1, 2))) for part in option]


def _target(draw: random.Random, made: Corpus) -> str:
    item = draw.choice(made.documents)
    stem = item.name.rpartition("/")[2]
    return draw.choice((item.name, stem, f"{item.name}#1", f"{item.name}#9", stem.removesuffix(".md"), "a/none.md"))


def _expectation(draw: random.Random, made: Corpus) -> str:
    item = draw.choice(made.documents)
    return draw.choice(
        (_target(draw, made), f"{item.name}#rules", item.text.split("\n\n")[2].split(".")[0], item.canaries[0])
    )


def _trace(draw: random.Random, made: Corpus) -> str:
    return draw.choice((*made.traces, made.traces[0][:8], "2026", "none"))


TWINS: dict[str, Command] = {
    "search": lambda draw, made: ["search", _question(draw, made), *_options(draw, made)],
    "ask": lambda draw, made: ["ask", _question(draw, made), *_options(draw, made)],
    "explain": lambda draw, made: [
        *("explain", _question(draw, made), "--expect", _expectation(draw, made), "--mode", "bm25"),
        *_options(draw, made),
    ],
    "inspect": lambda draw, made: ["inspect", _target(draw, made)],
    "golden lint": lambda draw, made: ["golden", "lint", "golden.jsonl", *draw.choice(([], ["--ask"]))],
    "golden draft": lambda draw, made: ["golden", "draft", "-n", str(draw.randrange(1, 9))],
    "eval": lambda draw, made: ["eval", "golden.jsonl", "--mode", "bm25", *draw.choice(([], ["--retrieval-only"]))],
}
"""Commands whose whole output must be that of an index without the closed documents."""

ALONE: dict[str, Command] = {
    "log": lambda draw, made: ["log", "-n", "50"],
    "log one": lambda draw, made: ["log", _trace(draw, made)],
    "stats": lambda draw, made: ["stats"],
    "feedback": lambda draw, made: ["feedback", _trace(draw, made), draw.choice(("good", "bad"))],
    "session list": lambda draw, made: ["session", "list"],
    "session show": lambda draw, made: ["session", "show", f"talk{draw.randrange(4)}"],
    "golden promote": lambda draw, made: [
        *("golden", "promote", _trace(draw, made)),
        *draw.choice(([], ["--unanswerable"], ["--expect", _target(draw, made)])),
    ],
    "versions diff": lambda draw, made: ["versions", "diff", "v000001", "v000002"],
}
"""Commands about what happened in this index, where only canaries can be looked for."""


def attack(draw: random.Random, made: Corpus) -> str | None:
    """One command under random groups; what showed through, or None."""
    groups = draw.sample(GROUPS, k=draw.choice((0, 0, 1, 1, 2, 3)))
    name = draw.choice((*TWINS, "search", "ask", *ALONE))
    line = [*(TWINS.get(name) or ALONE[name])(draw, made), *_as(groups), *draw.choice(([], ["--json"], ["-v"]))]
    line.append("--no-progress")
    ran = here(*line, cwd=made.folder, env=_UNTRACED)
    typed = " ".join(line).lower()
    if name in ("eval", "golden lint"):
        typed += (made.folder / "golden.jsonl").read_text().lower()
    typed += " ".join(item.text for item in made.documents if item.is_open_to(groups))  # may name what it supersedes
    shown = (ran.out + ran.err).lower()
    told = f"rag {' '.join(line)}"
    for item in made.closed_to(groups):
        for canary in item.canaries:
            if canary in shown and canary not in typed:
                return f"{told}: {canary} of {item.name} shows"
    if ran.code == 70:
        return f"{told}: {ran.err[:200]}"
    return _differs(ran, here(*line, cwd=made.twin(groups), env=_UNTRACED), told) if name in TWINS else None


def _differs(ran: Ran, twin: Ran, told: str) -> str | None:
    if ran.code != twin.code:
        return f"{told}: exit {ran.code}, {twin.code} without the closed documents"
    for mine, other in ((ran.out, twin.out), (ran.err, twin.err)):
        pairs = zip(_settled(mine), _settled(other), strict=False)
        different = next(((one, two) for one, two in pairs if one != two), None)
        if different or len(_settled(mine)) != len(_settled(other)):
            one, two = different or ("", "more or fewer lines")
            at = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
            return f"{told}: {one[max(0, at - 60) : at + 60]!r} is {two[max(0, at - 60) : at + 60]!r} without"
    return None


def _settled(output: str) -> list[str]:
    """The lines of an output without times and ids of the moment."""
    return _VARIES.sub("…", output).split("\n")


def run(tries: int, seed: int) -> Outcome:
    """About ``tries`` commands over corpora drawn by ``seed``."""
    failures: list[str] = []
    for number in range((tries + _TRIES_A_CORPUS - 1) // _TRIES_A_CORPUS):
        with corpus(seed * 1000 + number) as made:
            draw = random.Random(seed * 1000 + number)
            for _ in range(min(_TRIES_A_CORPUS, tries - number * _TRIES_A_CORPUS)):
                if (leak := attack(draw, made)) is not None:
                    failures.append(leak)
    return Outcome("access_leaks", tries, failures)
