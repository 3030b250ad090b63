"""Whether a sentence stands in a text word for word, nothing added and nothing left out, and else what differs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragcli.answer.check.reading import Reading, Token
from ragcli.language.patterns import pattern
from ragcli.language.sentences import sentence_spans
from ragcli.language.statements import is_telling
from ragcli.quotes import locate
from ragcli.records import Differences, Span

_STRONG = pattern(r"[;:\n\u2022|]|\s[\u2013\u2014-]\s")
_MOST_SHOWN = 6


def standing(claim: Reading, evidence: Reading) -> Iterator[Span]:
    """Where the words of ``claim`` stand together in ``evidence``, numbers and dates in any form, articles apart."""
    text, start = evidence.text, 0
    while (span := locate(claim.text, text[start:])) is not None:
        yield Span(start + span.start, start + span.end)
        start += span.end
    mine, theirs = [token.key for token in claim.tokens], [token.key for token in evidence.tokens]
    for index in range(len(theirs) - len(mine) + 1 if mine and not start else 0):
        if theirs[index : index + len(mine)] == mine:
            found = evidence.tokens[index : index + len(mine)]
            yield Span(found[0].start, found[-1].end)


def left_out(evidence: Reading, span: Span) -> tuple[str, ...]:
    """What the sentences around ``span`` say besides it: the conditions, exceptions and details of the statement.

    What a semicolon, a colon or a line's end sets apart is a statement of its own, unless it goes on in small letters
    with a word that ties it to this one (``but``, ``unless``). Words without meaning (``However, …``) are no loss.
    """
    text = evidence.text
    touched = [one for one in sentence_spans(text) if one.start < span.end and span.start < one.end]
    if not touched:
        return ()
    before, after = Span(touched[0].start, span.start), Span(span.end, touched[-1].end)
    if cuts := list(_STRONG.finditer(text, before.start, before.end)):
        before = Span(cuts[-1].end(), before.end)
    if (cut := _STRONG.search(text, after.start, after.end)) and not _ties(evidence, cut.end(), after.end):
        after = Span(after.start, cut.start())
    parts = (
        [token for token in evidence.tokens if part.start <= token.start and token.end <= part.end]
        for part in (before, after)
    )
    return tuple(_text(evidence, tokens) for tokens in parts if any(_tells(token) for token in tokens))


def _ties(evidence: Reading, start: int, end: int) -> bool:
    opening = [token for token in evidence.tokens if start <= token.start < end][:2]
    if opening and opening[0].text[:1].isupper():
        return False
    return any(not token.is_content and _tells(token) for token in opening)


def differences(claim: Reading, near: Reading) -> Differences:
    """The words that the sentence adds to the quoted sentences, and those of theirs that it leaves out."""
    return Differences(_missing(claim, near), _missing(near, claim))


def _missing(reading: Reading, other: Reading) -> tuple[str, ...]:
    """Stretches of a text whose telling words the other does not have."""
    known = {token.stem for token in other.tokens}
    runs: list[list[Token]] = []
    open_run = False
    for token in reading.tokens:
        if token.stem in known or token.key in other.vocabulary:
            open_run = False
            continue
        apart = bool(runs) and re.search(r"[.!?;\n]", reading.text[runs[-1][-1].end : token.start]) is not None
        if open_run and not apart:
            runs[-1].append(token)
        else:
            runs.append([token])
        open_run = True
    telling = [run for run in runs if any(_tells(token) for token in run)]
    return tuple(_text(reading, run) for run in telling[:_MOST_SHOWN])


def _tells(token: Token) -> bool:
    return token.is_content or is_telling(token.key)


def _text(reading: Reading, tokens: Sequence[Token]) -> str:
    return re.sub(r"\s+", " ", reading.text[tokens[0].start : tokens[-1].end])
