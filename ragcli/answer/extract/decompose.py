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


def parts(question: str) -> tuple[str, ...]:
    """The questions asked, in order, at most four; the question itself alone when it asks one thing."""
    question = question.strip()
    if match := _COMPARED.search(question):
        return _both(match, question)
    if match := _EITHER.search(question):
        return tuple(f"{match['head'].strip()}: {match[side].strip()}?" for side in ("a", "b"))
    pieces = [piece.strip(" ,;") for piece in _JOINT.split(question) if piece and piece.strip(" ,;?？")]
    if len(pieces) < 2 or any(sum(word.is_content for word in words(piece)) < 1 for piece in pieces):
        return (question,)
    asked: list[str] = []
    for piece in pieces[:MOST]:
        asked.append(standalone(piece if piece.endswith(("?", "？")) else f"{piece}?", asked))
    return tuple(asked)


def _both(match: re.Match[str], question: str) -> tuple[str, ...]:
    """The two things compared; a noun that only the second one carries goes to both: ``basic and team plan``."""
    first, second = match["a"].strip(" ."), match["b"].strip(" .?")
    first = re.sub(r"^(?:between|the)\s+", "", first, flags=re.IGNORECASE)
    second = re.sub(r"^the\s+", "", second, flags=re.IGNORECASE)
    if len(first.split()) == 1 and len(second.split()) > 1:
        first = f"{first} {second.split()[-1]}"
    topic = question[: match.start()].strip(" ,?")
    topic = "" if len([word for word in words(topic) if word.is_content]) == 0 else f"{topic} "
    return tuple(f"{topic}{side}" for side in (first, second))


class PartwiseAnswerer:
    """Answers each part of a question from the same passages and puts the claims together, each once."""

    def __init__(self, inner: Generator, asked: Sequence[str]) -> None:
        self._inner = inner
        self._asked = tuple(asked)

    def generate(self, question: str, passages: Sequence[Passage]) -> Completion:
        """The claims of every part that is answered; not found when no part is."""
        made = [self._inner.generate(part, passages) for part in self._asked]
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
        )
