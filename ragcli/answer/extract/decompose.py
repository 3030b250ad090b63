"""A question that asks several things as several questions, by rule. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragcli.answer.extract.followup import standalone
from ragcli.interfaces import Generator
from ragcli.language.lexicon import any_of
from ragcli.language.patterns import pattern
from ragcli.language.words import words
from ragcli.records import Claim, Completion, Passage, Usage

MOST = 4
_JOINT = pattern(
    lambda: rf"\s*(?:[,;]\s*)?\b{any_of('conjunctions')}\b\s+(?={any_of('question_words')}\b)|\s*;\s*|(?<=[?？])\s+",
    re.IGNORECASE,
)
_COMPARED = pattern(
    lambda: (
        rf"\b{any_of('comparing')}\b\s*(?:{any_of('comparing_of')}\s+)?"
        rf"(?P<a>[^?,;]+?)\s+{any_of('comparing_with')}\.?\s+(?P<b>[^?;]+)"
    ),
    re.IGNORECASE,
)
_EITHER = pattern(
    lambda: (
        rf"^(?P<head>{any_of('question_words')}\b[^?,:;]*?)[,:]\s*"
        rf"(?P<a>[^?,;]+?)\s+{any_of('alternatives')}\s+(?P<b>[^?;]+)"
    ),
    re.IGNORECASE,
)

_OPENING = pattern(lambda: rf"^\W*{any_of('question_words')}\s+", re.IGNORECASE)
_NAME = r"(?:[^\W\d_a-zß-ÿ][\w'’.-]*|[\w.-]*\d[\w.-]*)"
_NAME_RUN = rf"{_NAME}(?:\s+{_NAME})*"
_AND = rf"\s*,?\s+{any_of('conjunctions', 'alternatives')}\s+(?:(?i:{any_of('articles')})\s+)?"
_NAMES = pattern(lambda: rf"\b(?P<list>(?:{_NAME_RUN}\s*,\s*)*{_NAME_RUN}{_AND}{_NAME_RUN})\b")
_WORD = r"[^\W\d_][\w'’-]*"
_NOUNS = pattern(
    lambda: rf"\b{any_of('subject_prepositions')}\s+(?:{any_of('articles')}\s+)?(?P<list>{_WORD}{_AND}{_WORD})(?=\W*$)",
    re.IGNORECASE,
)
_BETWEEN_NAMES = pattern(lambda: rf"{_AND}|\s*,\s*")
_HEAD = pattern(lambda: rf"^.*\b{any_of('prepositions')}\s+(?=\S)", re.IGNORECASE)
_BOTH = pattern(r"\bboth\s+$", re.IGNORECASE)


def parts(question: str, texts: Sequence[str] = ()) -> tuple[str, ...]:
    """The questions asked, in order, at most four; the question itself alone when it asks one thing.

    Two names that stand in one of ``texts`` as they stand in the question are one name: ``Marks and Spencer``.
    """
    question = question.strip()
    if match := _COMPARED.search(question):
        return _both(match, question)
    if match := _EITHER.search(question):
        return tuple(f"{match['head'].strip()}: {match[side].strip()}?" for side in ("a", "b"))
    pieces = [piece.strip(" ,;") for piece in _JOINT.split(question) if piece and piece.strip(" ,;?？")]
    if len(pieces) < 2 or any(sum(word.is_content for word in words(piece)) < 1 for piece in pieces):
        return _of_each_name(question, texts)
    asked: list[str] = []
    for piece in pieces[:MOST]:
        asked.append(standalone(piece if piece.endswith(("?", "？")) else f"{piece}?", asked))
    return tuple(asked)


def _of_each_name(question: str, texts: Sequence[str]) -> tuple[str, ...]:
    """``Notice period of Alder and Birch?`` as a question about each: of names, or of two nouns that it ends with."""
    opening = _OPENING.match(question)
    named = _NAMES.search(question, opening.end() if opening else 0) or _NOUNS.search(question)
    if named is None or any(_flat(named["list"]) in _flat(text) for text in texts):
        return (question,)
    head, tail = _BOTH.sub("", question[: named.start("list")]), question[named.end("list") :]
    names = [name.strip() for name in _BETWEEN_NAMES.split(named["list"]) if name.strip()]
    return tuple(f"{head}{name}{tail}" for name in names[:MOST])


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()


def _both(match: re.Match[str], question: str) -> tuple[str, ...]:
    """The two things compared; what only one carries goes to both: ``basic and team plan``, ``price of A and B``."""
    first, second = match["a"].strip(" ."), match["b"].strip(" .?")
    first = re.sub(r"^(?:between|the)\s+", "", first, flags=re.IGNORECASE)
    second = re.sub(r"^the\s+", "", second, flags=re.IGNORECASE)
    if (head := _HEAD.match(first)) and not _HEAD.match(second):
        second = f"{head.group()}{second}"
    if len(first.split()) == 1 and len(second.split()) > 1:
        first = f"{first} {second.split()[-1]}"
    topic = question[: match.start()].strip(" ,?")
    topic = "" if len([word for word in words(topic) if word.is_content]) == 0 else f"{topic} "
    return tuple(f"{topic}{side}" for side in (first, second))


class PartwiseAnswerer:
    """Answers each part of a question from the same passages and puts the claims together, each once."""

    def __init__(self, inner: Generator) -> None:
        self._inner = inner

    def generate(self, question: str, passages: Sequence[Passage]) -> Completion:
        """The claims of every part that is answered, the others named; not found when no part is."""
        asked = parts(question, [passage.text for passage in passages])
        if len(asked) == 1:
            return self._inner.generate(question, passages)
        made = [self._inner.generate(part, passages) for part in asked]
        answered = [one for one in made if one.found]
        claims: dict[str, Claim] = {}
        for one in answered:
            for claim in one.claims:
                claims.setdefault(claim.text, claim)
        usage = sum((one.usage for one in made), Usage())
        sure = [one.confidence for one in (answered or made) if one.confidence is not None]
        return Completion(
            found=bool(answered),
            claims=tuple(claims.values()),
            provider=made[0].provider,
            model=made[0].model,
            usage=usage,
            confidence=min(sure) if answered and sure else max(sure, default=None),
            not_found_reason=None if answered else made[0].not_found_reason,
            unanswered=tuple(part for part, one in zip(asked, made, strict=True) if not one.found) if answered else (),
        )
