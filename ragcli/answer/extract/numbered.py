"""Questions that name a numbered part ("what does clause 3.2.1 say?"): it is wanted, not what refers to it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragcli.answer.extract.candidates import Candidate
from ragcli.answer.extract.features import Seen
from ragcli.language.lexicon import any_of
from ragcli.language.patterns import pattern
from ragcli.language.words import words

_Scored = tuple[Seen, float]
_NAMED = pattern(
    lambda: (
        rf"(?:\b{any_of('numbered_parts')}|§{{1,2}})\s*(?:n[ro]\.?\s*)?"
        r"\(?(\d+(?:\.\d+)*[a-z]?|[ivxlc]+(?=\)))\)?(?![\w.]*\d)"
    ),
    re.IGNORECASE,
)
_FIRST = 100.0
"""More than any score: the part itself stands alone at the top."""


def named_number(question: str) -> str:
    """The number of the part that a question names, empty when it names none or several."""
    found = {match[1] for match in _NAMED.finditer(question)}
    return found.pop() if len(found) == 1 else ""


def part_first(question: str, ranked: Sequence[_Scored]) -> list[_Scored]:
    """Ranked candidates with the one that begins with the named number first; else those of its subdivisions."""
    number = named_number(question)
    for ending in (r"[.):]?\s", r"\.\d") if number else ():
        begins = re.compile(rf"[\s#>*-]*(?:§\s*)?\(?{re.escape(number)}\)?{ending}", re.IGNORECASE)
        own = [item for item in ranked if begins.match(_line(item[0].item))]
        if own:
            lifted = [(seen, value + _FIRST) for seen, value in own]
            return [*lifted, *(item for item in ranked if item not in own)]
    return list(ranked)


def surely_meant(question: str, ranked: Sequence[_Scored]) -> bool:
    """Whether the best candidate is a part that the question names and asks nothing more about than what it says."""
    if not ranked or ranked[0][1] < _FIRST / 2:  # scores lie within a few units of 0
        return False
    rest = _NAMED.sub(" ", question)
    return sum(1 for word in words(rest) if word.is_content) <= 1


def _line(candidate: Candidate) -> str:
    """The candidate with what stands before it on its line."""
    text = candidate.passage.text
    return text[text.rfind("\n", 0, candidate.span.start) + 1 : candidate.span.end]
