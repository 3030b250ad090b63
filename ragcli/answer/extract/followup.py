"""A follow-up question as the questions that it may be, each able to stand alone, by rule. Pure.

``and for interns?`` after ``How many remote days can employees take?`` may be ``How many remote days can employees
take for interns?``; ``how long does it last?`` after ``What is the probation period?`` asks about that period. A rule
cannot know, so it proposes: whoever asks compares the answers (``pipelines.asking.conversation``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragcli.language.lexicon import any_of, listed, named
from ragcli.language.patterns import pattern
from ragcli.language.words import content_stems, words

_OPENING = pattern(
    lambda: rf"^\s*(?:{any_of('openings')}\b[\s,]*)+(?:{any_of('what_about')}\s+)?|^\s*{any_of('what_about')}\s+",
    re.IGNORECASE,
)
_ABOUT = pattern(lambda: rf"\b{any_of('what_about')}\b", re.IGNORECASE)
_PREPOSITION = pattern(lambda: rf"^{any_of('prepositions')}\b", re.IGNORECASE)
_PRONOUN = pattern(lambda: rf"\b{any_of('pronouns')}\b", re.IGNORECASE)
_POSSESSIVE = pattern(lambda: rf"\b{any_of('possessives')}\b(?=\s+\w)", re.IGNORECASE)
_ASKS = pattern(lambda: rf"^\W*{any_of('question_words')}\b", re.IGNORECASE)
_ASKS_LATER = pattern(lambda: rf"^\W*(?:\w+\s+)?{any_of('prepositions')}\s+{any_of('question_words')}\b", re.I)
_NOTHING = pattern(lambda: rf"^\W*(?:{any_of('acknowledgements')}\W*)+$", re.IGNORECASE)
_AFTER_VERB = pattern(lambda: rf"\b{any_of('auxiliaries')}\s+(?:it|they|{any_of('demonstratives')})\b", re.IGNORECASE)
_DUMMY = pattern(lambda: rf"\b{any_of('dummy_subjects')}\b", re.IGNORECASE)
_DETERMINER = pattern(lambda: rf"\b{any_of('demonstratives')}\s+(?=[^\W\d_]{{3,}})", re.IGNORECASE)
_CONJUNCTION = pattern(r"(?<=\w )\b(?:that|one)\b", re.IGNORECASE)
_CODE = pattern(r"\b(?=[\w.-]*\d)(?=[\w.-]*[^\W\d_])[\w.-]*\w")
_NAME_AHEAD = r"\s[^\W\d_a-zß-ÿ]"
_NAME = pattern(r"(?<=\s)[^\W\d_a-zß-ÿ][\w'’-]*(?:\s+[^\W\d_a-zß-ÿ][\w'’-]*)*")
_LAST_PHRASE = pattern(
    lambda: rf"\s{any_of('prepositions')}\s+(?:(?!\b{any_of('auxiliaries')}\b)[^,;?])+$", re.IGNORECASE
)
_ACTOR = pattern(
    lambda: rf"\b{any_of('auxiliaries')}\s+(?:{any_of('articles')}\s+)?(?P<actor>[^\W\d_]{{3,}}(?:-[^\W\d_]+)*s)\b",
    re.I,
)
_FEW = 3
"""A question with no more content words than this, and no name, may lean on the one before it."""


@dataclass(frozen=True)
class EarlierQuestion:
    """An earlier question, able to stand alone, and the source that its answer was first cited from, if any."""

    question: str
    source: str = ""


@dataclass(frozen=True)
class Meaning:
    """What a question may mean. ``source`` is where alone its answer is sought, empty for everywhere.

    An answer has to speak of every stem in ``about``: what the follow-up brings in.
    """

    question: str
    source: str = ""
    about: frozenset[str] = frozenset()


def is_follow_up(question: str) -> bool:
    """Whether the question leaves out what it is about."""
    stripped = _OPENING.sub("", question, count=1).strip()
    if _ABOUT.search(question) or _PREPOSITION.match(stripped):
        return True
    if not _ASKS.match(stripped):
        return stripped != question.strip() or sum(word.is_content for word in words(stripped)) <= 2
    return bool(_PRONOUN.search(_without_dummies(stripped)) or _POSSESSIVE.search(stripped))


def standalone(question: str, earlier: Sequence[str]) -> str:
    """``question`` in its likeliest reading after the ``earlier`` ones (standalone themselves, oldest first)."""
    return meanings(question, [EarlierQuestion(one) for one in earlier])[0].question


def meanings(question: str, earlier: Sequence[EarlierQuestion]) -> tuple[Meaning, ...]:
    """What ``question`` may mean after the ``earlier`` ones, the likeliest first; itself when it leans on none."""
    question = question.strip()
    if not earlier or _NOTHING.match(question):
        return (Meaning(question),)
    before, source = earlier[-1].question.strip(), earlier[-1].source
    if not is_follow_up(question) and not _is_bare(question):
        there = [Meaning(question, source)] if source and _is_short(question) else []
        return (Meaning(question), *there)
    rest = _OPENING.sub("", question, count=1).strip().rstrip("?？ ")
    if not rest:
        return (Meaning(before),)
    if _ASKS_LATER.match(rest) or (_is_bare(rest) and not is_follow_up(rest)):
        found = [Meaning(f"{before.rstrip('?？ ')} {rest}?")]
    elif _ASKS.match(rest):
        found = [Meaning(_resolved(rest, before) + "?")]
    else:
        about = frozenset(content_stems(_PRONOUN.sub("", rest)) - content_stems(before))
        found = [Meaning(one, about=about) for one in _put_in(rest, before)]
    about = found[0].about
    there = [Meaning(f"{rest}?", source, about)] if source else []
    return tuple(dict.fromkeys((*found, *there)))


def _is_bare(question: str) -> bool:
    """Whether a question names nothing but the unit that it asks for: ``How many days?``, ``When?``."""
    return bool(_ASKS.match(question)) and all(
        not word.is_content or word.folded in named("units") or word.folded in listed("common_verbs")
        for word in words(question)
    )


def _is_short(question: str) -> bool:
    """Whether a question without a name or code has so few words of its own that it may lean on the one before."""
    return not (_CODE.search(question) or _NAME.search(question)) and len(content_stems(question)) <= _FEW


def _put_in(rest: str, before: str) -> Iterator[str]:
    """The question before with ``rest`` in the place of what is of its kind, then with it at the end."""
    body = before.rstrip("?？ ")
    if same := _of_same_kind(rest, body):
        yield f"{body[: same.start()]}{_bare(rest)}{body[same.end() :]}?"
        return
    phrase = rest if _PREPOSITION.match(rest) else f"for {rest}"
    last = _LAST_PHRASE.search(body)
    if last is not None and last.group().split()[0].casefold() == phrase.split()[0].casefold():
        yield f"{body[: last.start()]} {phrase}?"
        return
    if last is not None and _PREPOSITION.match(rest):
        yield f"{body[: last.start()]} {phrase}?"
    if of_kind := _of_same_noun(rest, body):
        yield f"{body[: of_kind[0]]}{_bare(rest)}{body[of_kind[1] :]}?"
    yield f"{body} {phrase}?"
    if not _PREPOSITION.match(rest) and (actor := _ACTOR.search(body)):
        yield f"{body[: actor.start('actor')]}{rest}{body[actor.end('actor') :]}?"


def _bare(rest: str) -> str:
    """``rest`` without a preposition in front."""
    return _PREPOSITION.sub("", rest, count=1).strip()


def _of_same_kind(rest: str, body: str) -> re.Match[str] | None:
    """The one code of ``body`` where ``rest`` is a code, the one name where it is a name."""
    bare = _bare(rest)
    for kind in (_CODE, _NAME):
        if kind.fullmatch(bare) or (kind is _NAME and kind.fullmatch(f" {bare}", 1)):
            found = list(kind.finditer(body))
            return found[0] if len(found) == 1 else None
    return None


def _of_same_noun(rest: str, body: str) -> tuple[int, int] | None:
    """Where ``body`` has the noun that ``rest`` ends with, from the article before it on: one course for another."""
    noun = next((word for word in reversed(words(rest)) if word.is_content), None)
    found = words(body)
    place = next((n for n, word in enumerate(found) if noun is not None and word.stem == noun.stem), None)
    if place is None:
        return None
    first = place
    while first and (found[first - 1].is_content or found[first - 1].folded in listed("determiners")):
        first -= 1
    return found[first].start, found[place].end


def _without_dummies(question: str) -> str:
    """Without the words that look like pronouns and point to nothing: ``is there``, ``does it take``, ``that one``."""
    if _AFTER_VERB.search(question) and not _DUMMY.search(question):
        return question
    plain = _DETERMINER.sub("", _DUMMY.sub("", question))
    return plain if plain.rstrip("?？ ").casefold().endswith("that") else _CONJUNCTION.sub("", plain)


def _resolved(rest: str, before: str) -> str:
    """Pronouns replaced by what the question before was about."""
    topic = subject(before)
    if not topic:
        return rest
    replaced, count = _POSSESSIVE.subn(f"{topic}'s", rest, count=1)
    if not count:
        replaced, count = _PRONOUN.subn(topic, rest, count=1)
    return replaced if count else f"{rest} ({topic})"


def subject(question: str) -> str:
    """The longest run of neighbouring content words: what a question is about.

    Of equals the first that an article or its like stands before (``my notice`` in ``How do I hand in my notice?``),
    else the first.
    """
    best, run = "", ""
    best_weight, determined, end = (0, False), False, -1
    for word in words(question):
        if not word.is_content or word.folded in listed("common_verbs") or word.text.isdigit():
            run, determined, end = "", word.folded in listed("determiners"), -1
            continue
        gap = question[end : word.start] if end >= 0 else ""
        run = f"{run}{gap}{word.text}" if run and not gap.strip() else word.text
        end = word.end
        weight = (len(run.split()), determined)
        best, best_weight = (run, weight) if weight > best_weight else (best, best_weight)
    return best + _of_name(best, question)


def _of_name(run: str, question: str) -> str:
    """`` to Ireland`` after ``orders``: the name that says which."""
    after = question[question.find(run) + len(run) :] if run else ""
    found = re.match(rf"\s+(?i:{any_of('prepositions')})(?={_NAME_AHEAD})", after)
    name = _NAME.match(after, found.end() + 1) if found else None
    return after[: name.end()] if name else ""
