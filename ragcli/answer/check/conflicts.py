"""Points out where two dated sources that were sent say different things about what the answer says."""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.language.facts import Fact, facts
from ragcli.language.sentences import sentence_spans
from ragcli.language.words import content_stems
from ragcli.records import Citation, Passage, Sentence

_ALIKE = 0.6


def conflicts(
    sentences: Sequence[Sentence], citations: Sequence[Citation], passages: Sequence[Passage]
) -> tuple[str, ...]:
    """A notice for each cited quote that a passage of another document repeats with another number, date or time."""
    found: list[str] = []
    by_number = {citation.number: citation for citation in citations}
    for number in dict.fromkeys(number for sentence in sentences for number in sentence.citations):
        citation = by_number[number]
        for passage in passages:
            if passage.source == citation.source:
                continue
            if other := _contradicting(citation.quote, passage):
                found.append(
                    f"{_dated(citation.source, citation.effective_date)} and "
                    f"{_dated(passage.source, passage.effective_date)} differ: {citation.quote!r} against {other!r}"
                )
    return tuple(dict.fromkeys(found))


def _contradicting(quote: str, passage: Passage) -> str:
    """The sentence of the passage with the quote's words and other values of the same kind and unit; ``""`` if none."""
    wanted, values = _subject(quote), _values(facts(quote))
    if len(wanted) < 3 or not values:
        return ""
    for span in sentence_spans(passage.text):
        text = span.of(passage.text)
        subject = _subject(text)
        if len(wanted & subject) < _ALIKE * len(wanted | subject):
            continue
        others = _values(facts(text))
        for kind, mine in values.items():
            theirs = others.get(kind)
            if theirs and not (mine & theirs):
                return text
    return ""


def _subject(text: str) -> set[str]:
    """What a sentence is about: its content words without the facts that may differ."""
    plain = text
    for fact in sorted(facts(text), key=lambda fact: -fact.start):
        if fact.kind in ("number", "date", "time"):
            plain = plain[: fact.start] + " " + plain[fact.end :]
    return content_stems(plain)


def _values(found: Sequence[Fact]) -> dict[tuple[str, str], set[str]]:
    values: dict[tuple[str, str], set[str]] = {}
    for fact in found:
        if fact.kind in ("number", "date", "time"):
            values.setdefault((fact.kind, fact.unit), set()).update(fact.values)
    return values


def _dated(source: str, date: str | None) -> str:
    return f"{source} ({date})" if date else source
