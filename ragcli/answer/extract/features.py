"""What is looked at to tell how well a candidate answers a question, as one table: name, function, meaning.

``scoring`` weighs the table, ``tests/benchmarks/answers_fit.py`` fits the weights, ``features.md`` is printed from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ragcli.answer.extract.candidates import Candidate
from ragcli.answer.extract.focus import is_unasked_key
from ragcli.answer.extract.questions import UNTOLD, Wanted, asked_stems, offers, wanted
from ragcli.answer.extract.special_cases import is_definition, is_opposed, is_restricted
from ragcli.language.words import content_stems, words

Stems = frozenset[str]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as candidates are held against it: stems of what it says and of its subject alone, how rare each of
    these is, the kind of fact wanted."""

    question: str
    said: Stems
    stems: Stems
    rarity: dict[str, float]
    kind: Wanted

    def share(self, present: Stems) -> float:
        """The share of the question's words, weighted by rarity, among those present."""
        total = sum(self.rarity.values())
        return sum(self.rarity[stem] for stem in sorted(self.stems & present)) / total if total else 0.0


@dataclass(frozen=True, slots=True)
class Seen:
    """One candidate with what is known of it: stems of its own, of it with the sentence ``before`` and the headings,
    and of the passage; and, seen by the model, cosines and for each content word of the question the mean best cosine
    of its tokens with the candidate's. ``values`` are the features' by name."""

    item: Candidate
    asked: Asked
    own: Stems
    near: Stems
    whole: Stems
    before: str = ""
    cosine: float = 0.0
    max_sim: float = 0.0
    word_sims: tuple[float, ...] = ()
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Feature:
    """One thing that is looked at. ``by_model`` are those that need the embedding model."""

    name: str
    of: Callable[[Seen], float]
    meaning: str
    by_model: bool = False


FEATURES = (
    Feature(
        "own_overlap",
        lambda seen: seen.asked.share(seen.own),
        "share of the question's words, weighted by rarity among the candidates, that stand in the candidate",
    ),
    Feature(
        "near_overlap",
        lambda seen: seen.asked.share(seen.near),
        "the same, with the sentence before it and the headings above it",
    ),
    Feature(
        "cosine",
        lambda seen: seen.cosine,
        "cosine of the mean token vectors of question and candidate",
        by_model=True,
    ),
    Feature(
        "max_sim",
        lambda seen: seen.max_sim,
        "mean over the question's tokens of the best cosine with a token of the candidate (late interaction)",
        by_model=True,
    ),
    Feature(
        "log_rank",
        lambda seen: math.log(seen.item.passage.number),
        "logarithm of the passage's rank",
    ),
    Feature(
        "offers",
        lambda seen: float(_offers(seen)),
        "whether it holds a fact of the kind asked for: a date for when, a number for how many, a step for how to",
    ),
    Feature(
        "is_question",
        lambda seen: float(seen.item.plain.endswith(("?", "？"))),
        "whether it is a question itself",
    ),
    Feature(
        "restricted",
        lambda seen: float(is_restricted(seen.item.plain, seen.asked.stems)),
        "whether it speaks of a special case that the question does not mention",
    ),
    Feature(
        "repeats",
        lambda seen: float(_repeats(seen)),
        "whether it says nothing that the question did not say",
    ),
    Feature(
        "defines",
        lambda seen: float(_defines(seen)),
        "whether a definition is asked for and it begins with what is to be defined and says what that is",
    ),
    Feature(
        "opposed",
        lambda seen: float(is_opposed(seen.asked.question, seen.item.plain)),
        "whether it has the opposite of a word of the question (weak, strong) and not that word",
    ),
    Feature(
        "unasked_key",
        lambda seen: float(is_unasked_key(seen.asked.question, seen.item.plain)),
        "whether it is a fact of the front matter under a key that the question does not name",
    ),
)  # fmt: skip


def _offers(seen: Seen) -> bool:
    kind = seen.asked.kind
    if kind in ("steps", "list"):
        return seen.item.kind == "item" or (kind == "steps" and seen.item.kind == "code")
    return kind not in UNTOLD and offers(kind, seen.item.plain, seen.asked.stems)


def _repeats(seen: Seen) -> bool:
    """Whether the candidate holds no word with a meaning of its own beyond the question's, and does not deny it."""
    if seen.item.kind != "sentence" or content_stems(seen.item.plain) - seen.asked.said:
        return False
    return _denies(seen.asked.question) or not _denies(seen.item.plain)


def _denies(text: str) -> bool:
    return any(word.is_negator for word in words(text))


def _defines(seen: Seen) -> bool:
    return seen.asked.kind == "definition" and is_definition(seen.item.plain, seen.asked.stems)


def observe(question: str, found: Sequence[Candidate]) -> list[Seen]:
    """Each candidate with what is known of it without a model."""
    stems = frozenset(asked_stems(question))
    own = [_stems(item.readable) for item in found]
    asked = Asked(question, _stems(question), stems, _rarity(stems, own), wanted(question))
    passages = {item.passage.number: item.passage for item in found}
    headings = {number: _stems(passage.chunk.prefix) for number, passage in passages.items()}
    texts = {number: _stems(passage.text) for number, passage in passages.items()}
    seen = []
    for item, mine in zip(found, own, strict=True):
        heading = headings[item.passage.number]
        before = own[item.before] if item.before is not None else frozenset()
        text = found[item.before].plain if item.before is not None else ""
        seen.append(Seen(item, asked, mine, mine | before | heading, texts[item.passage.number] | heading, text))
    return seen


def _stems(text: str) -> Stems:
    return frozenset(word.stem for word in words(text))


def _rarity(asked: Stems, own: Sequence[Stems]) -> dict[str, float]:
    """Inverse document frequency of each question word over the candidates."""
    total = len(own)
    return {stem: math.log(1 + (total + 1) / (sum(stem in present for present in own) + 0.5)) for stem in sorted(asked)}
