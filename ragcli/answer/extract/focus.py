"""Whether a sentence speaks of something else than the question asks about, told by how the words of both stand.

A sentence can have most words of a question and answer another one: "My passport expires in 2031" for a driving
licence, "Employees have 27 days" for contractors. Each rule takes one word of the question that stands neither in the
sentence nor around it (the one before, headings, title, the file's name) and looks at its place: what qualifies the
same noun, does the same deed, is the same kind of part. A word that the model finds near in the sentence, or that is
spelled nearly so, counts as said. Where the rules find nothing they say nothing: a paraphrase shares few words too.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragcli.answer.extract.candidates import Candidate
from ragcli.answer.extract.questions import wanted
from ragcli.answer.extract.special_cases import is_opposed
from ragcli.language.lexicon import listed, named, opposites, valued
from ragcli.language.patterns import pattern
from ragcli.language.words import Word, words
from ragcli.records import Passage

_NEAR = 0.5
"""Cosine from which a word of the question is taken for said in other words, within a passage about the same."""
_FAR = 0.3
"""Cosine under which a deed, an object, an office or a whole that is not named is not spoken of at all."""
_NOTHING_NEAR = 0.2
"""Cosine under which a sentence has nothing to do with the word in which a question ends."""
_SPELLED_ALIKE = 0.8
_WITHOUT_PREFIX = 4
_KEY = pattern(r"([^\W\d_][\w .-]{0,40})[:=]\s+\S")


def above(passage: Passage) -> str:
    """Title, headings and lead-in, and the words of the source's name: what a document is about is not said again."""
    named = re.sub(r"[\W_]+", " ", passage.source)
    return f"{passage.chunk.prefix}\n{named}\n{passage.chunk.lead}\n"


def speaks_of_another(question: str, best: Candidate, before: str, sims: Sequence[float]) -> str:
    """What the sentence says in the place of what is asked, in words; ``""`` where no rule finds that.

    ``sims`` are the best cosines of the question's content words in the sentence, in order; none without a model.
    """
    if points_elsewhere := _another_person(question, best):
        return points_elsewhere
    asked = _Asked.of(question, best, before, sims)
    rules = (
        _another_key,
        _another_question,
        _unknown_name,
        _another_kind,
        _another_doer,
        _another_object,
        _another_whole,
        _opposite,
        _without_what,
        _another_office,
        _another_deed,
        _another_end,
    )
    return next((found for rule in rules if (found := rule(asked))), "")


@dataclass(frozen=True)
class _Asked:
    """A question beside a sentence: the words of both, of what stands around, and what counts as said."""

    question: str
    asked: list[Word]
    sentence: str
    topic: str
    around: str
    told: list[Word]
    passage: list[Word]
    sims: Mapping[int, float]

    @classmethod
    def of(cls, question: str, best: Candidate, before: str, sims: Sequence[float]) -> _Asked:
        asked = words(question)
        content = [word.start for word in asked if word.is_content]
        around = f"{above(best.passage)}{before}\n{best.readable}"
        whole = words(above(best.passage) + best.passage.text)
        near = dict(zip(content, sims, strict=True)) if len(sims) == len(content) else {}
        return cls(question, asked, best.plain, best.topic, around, words(around), whole, near)

    def is_said(self, word: Word, *, within: Sequence[Word] = ()) -> bool:
        """Whether the word stands around the sentence, in whatever form or with a slip of the pen."""
        near = [*self.told, *within]
        if any(word.stem == other.stem for other in near):
            return True
        forms = {other.folded for other in near if abs(len(other.folded) - len(word.folded)) < 4}
        forms = {form for form in forms if not _denies(form, word.folded)}
        alike = difflib.SequenceMatcher(None, "", word.folded)
        return len(word.folded) > 3 and any(_ratio(alike, form) >= _SPELLED_ALIKE for form in sorted(forms))

    def cosine(self, word: Word) -> float:
        """How near the sentence comes to the word; 0 without a model."""
        return self.sims.get(word.start, 0.0)

    def phrase(self, start: int) -> list[Word]:
        """The words with a meaning that stand from ``start`` on side by side, after an article or its like."""
        while start < len(self.asked) and self.asked[start].folded in listed("determiners"):
            start += 1
        end = start
        while end < len(self.asked) and self.asked[end].is_content:
            end += 1
        return self.asked[start:end]


def _denies(left: str, right: str) -> bool:
    """Whether one of two words is the other with a prefix that turns it round: installed and uninstalled."""
    shorter, longer = sorted((left, right), key=len)
    return len(shorter) >= _WITHOUT_PREFIX and longer.removesuffix(shorter) in listed("denying_prefixes")


def _ratio(matcher: difflib.SequenceMatcher[str], form: str) -> float:
    matcher.set_seq1(form)
    return matcher.ratio() if matcher.quick_ratio() >= _SPELLED_ALIKE else 0.0


def is_unasked_key(question: str, sentence: str) -> bool:
    """Whether a sentence is a fact of front matter (``role: coach``) under a key that the question does not name."""
    key = _KEY.match(sentence)
    if key is None or not key[1].islower():
        return False
    own = {word.stem for word in words(question)}
    return not any(word.stem in own for word in words(key[1].replace("_", " ")))


def _another_key(asked: _Asked) -> str:
    """The role, where the birthday was asked for."""
    return asked.sentence if is_unasked_key(asked.question, asked.sentence) else ""


def _another_question(asked: _Asked) -> str:
    """A yes or a no to the question that the sentence stands under, where another was asked."""
    first = next(iter(words(asked.sentence)), None)
    if not asked.topic or first is None or first.folded not in listed("yes_or_no"):
        return ""
    unsaid = (word for word in asked.asked if word.is_content and asked.cosine(word) < _FAR and not asked.is_said(word))
    return f"{first.text} to {asked.topic}" if any(unsaid) else ""


def _unknown_name(asked: _Asked) -> str:
    """A name out of code that the passage does not have: another setting than ``warn_minutes``."""
    known = {word.folded for word in asked.passage}
    return next((w.text for w in asked.asked if "_" in w.text.strip("_") and w.folded not in known), "")


def _another_kind(asked: _Asked) -> str:
    """White bread where all bread is rye bread, the licence that expires where it is the passport."""
    own = {word.stem for word in asked.asked}
    for kind, noun in _side_by_side(asked.question, asked.asked):
        if not _qualifies(kind, noun, asked) or asked.is_said(kind) or asked.cosine(kind) >= _NEAR:
            continue
        others = [other for other in _qualifiers(noun, asked.around, asked.told) if other.stem not in own]
        if others and not _stands_bare(noun, asked.sentence):
            return f"{others[0].text} {noun.text}"
    return ""


def _side_by_side(text: str, found: Sequence[Word]) -> Iterator[tuple[Word, Word]]:
    return ((left, right) for left, right in pairwise(found) if not text[left.end : right.start].strip())


def _qualifies(kind: Word, noun: Word, asked: _Asked) -> bool:
    """Whether two words of the question are one of a kind and its noun, in a phrase that an article may begin."""
    if not (kind.is_content and noun.is_content and kind.text.isalpha() and noun.text.isalpha()) or len(kind.text) < 3:
        return False
    extremes = named("maxima").keys() | named("minima").keys()
    if kind.folded in valued("numbers") or kind.folded in extremes or kind.folded.endswith(("ed", "ing", "ly")):
        return False
    place = asked.asked.index(kind)
    while place and asked.asked[place - 1].is_content:
        place -= 1
    return place > 0 and asked.asked[place - 1].folded in listed("determiners") | listed("before_a_noun")


def _qualifiers(noun: Word, text: str, found: Sequence[Word]) -> list[Word]:
    """The words with a meaning right before each place of the noun."""
    return [
        left
        for left, right in _side_by_side(text, found)
        if right.stem == noun.stem and left.is_content and left.text.isalpha()
    ]


def _stands_bare(noun: Word, sentence: str) -> bool:
    """Whether the sentence has the noun with nothing before it that says which one: it may be the one asked about."""
    found = words(sentence)
    return len(_qualifiers(noun, sentence, found)) < sum(noun.stem == word.stem for word in found)


def _another_doer(asked: _Asked) -> str:
    """What contractors have, where it is employees that have it."""
    said = {word.stem for word in words(asked.sentence)}
    for place, word in enumerate(asked.asked):
        if word.folded not in listed("doing"):
            continue
        run = asked.phrase(place + 1)
        after = next((one for one in asked.asked if run and one.start > run[-1].start), None)
        if after is not None and after.folded in listed("having"):
            doer, deed = run, after
        elif after is not None and after.folded in listed("being") and asked.phrase(asked.asked.index(after) + 1):
            doer, deed = run, asked.phrase(asked.asked.index(after) + 1)[0]
        else:
            doer, deed = run[:-1], run[-1] if run else word
        if not doer or deed.stem not in said or any(asked.is_said(one) or asked.cosine(one) >= _NEAR for one in doer):
            return ""
        return f"{' '.join(one.text for one in doer)} {deed.text}"
    return ""


def _another_object(asked: _Asked) -> str:
    """How the showers are drained, where the boiler was asked for."""
    own = {word.stem for word in asked.asked}
    for place, deed in enumerate(asked.asked[:-2]):
        thing = asked.phrase(place + 1)
        if not deed.is_content or not thing or thing[0] is asked.asked[place + 1]:
            continue  # an article stands between a deed and its object
        if any(asked.cosine(one) >= _FAR or asked.is_said(one, within=asked.passage) for one in thing):
            continue
        for left, article, right in zip(asked.told, asked.told[1:], asked.told[2:], strict=False):
            is_object = article.folded in listed("determiners") and right.is_content and right.stem not in own
            if left.stem == deed.stem and is_object:
                return f"{left.text} {article.text} {right.text}"
    return ""


def _another_whole(asked: _Asked) -> str:
    """The tenant of the flat, where nothing speaks of a flat."""
    for place, word in enumerate(asked.asked[1:], 1):
        head = asked.asked[place - 1]
        if word.folded not in listed("of") or not head.is_content or place < 2:
            continue
        if asked.asked[place - 2].folded in listed("question_words") - listed("auxiliaries"):
            continue  # what kind of, which type of
        whole = asked.phrase(place + 1)
        if len(whole) > 1 and any(one.folded in listed("doing") for one in asked.asked[:place]):
            whole = whole[:-1]  # when does the lease of the flat end
        if whole and all(
            one.text.isalpha() and asked.cosine(one) < _FAR and not asked.is_said(one, within=asked.passage)
            for one in whole
        ):
            return f"{head.text} {word.text} {' '.join(one.text for one in whole)}"
    return ""


def _opposite(asked: _Asked) -> str:
    """What is weak, in a passage about what is strong."""
    own = {word.stem for word in asked.asked if word.is_content}
    said = {word.folded for word in asked.passage}
    denied = [word.folded for word in asked.asked if word.is_content and word.folded not in said]
    turned = [form for form in sorted(said) if any(_denies(form, word) for word in denied)]
    if turned:
        return turned[0]
    if is_opposed(asked.question, asked.sentence):
        return asked.sentence
    for left, right in pairwise(asked.passage):
        if right.stem in own and any({left.folded, word} in opposites() for word in denied):
            return f"{left.text} {right.text}"
    return ""


def _without_what(asked: _Asked) -> str:
    """Tomas's birthday, in a passage about Tomas that has no birthday."""
    for place, (owner, what) in enumerate(pairwise(asked.asked), 1):
        if owner.text.endswith(("'s", "\u2019s")) and owner.is_content and what.is_content:
            phrase = asked.phrase(place)
            if not any(asked.is_said(word, within=asked.passage) for word in phrase):
                return " ".join(word.text for word in (owner, *phrase))
    return ""


def _another_office(asked: _Asked) -> str:
    """Who holds an office that nothing speaks of."""
    for place, word in enumerate(asked.asked[1:3], 1):
        if asked.asked[0].folded in listed("asks_who") and word.folded in listed("auxiliaries"):
            office = asked.phrase(place + 1)
            if not office or not all(one.text.islower() and asked.cosine(one) < _FAR for one in office):
                return ""
            said = any(asked.is_said(one, within=asked.passage) for one in office)
            return "" if said else " ".join(one.text for one in office)
    return ""


def _another_deed(asked: _Asked) -> str:
    """How to descale what is only said to be switched off."""
    deed = next((word for word in asked.asked if word.is_content), None)
    if deed is None or wanted(asked.question) != "steps" or not asked.sims or asked.cosine(deed) >= _FAR:
        return ""
    return "" if asked.is_said(deed, within=asked.passage) else deed.text


def _another_end(asked: _Asked) -> str:
    """When someone joined, in a sentence that nothing about joining stands in or around."""
    last = asked.asked[-1] if asked.asked else None
    if last is None or not asked.sims or not last.is_content or not last.text.isalpha():
        return ""
    if last.folded in listed("common_verbs") or asked.cosine(last) >= _NOTHING_NEAR:
        return ""
    return "" if asked.is_said(last, within=asked.passage) else last.text


def _another_person(question: str, best: Candidate) -> str:
    """What is true of the person a document is named after, when someone asks about themselves."""
    asked, passage = words(question), best.passage
    if wanted(question) == "steps" or not any(word.folded in listed("first_person") for word in asked):
        return ""
    title = words(passage.chunk.title)
    if not 2 <= len(title) <= 3 or not all(word.text[:1].isupper() and word.text.isalpha() for word in title):
        return ""
    said = words(passage.text)
    if any(word.text == name.folded for word in said for name in title):
        return ""  # a title in capitals, and no name
    spoken = listed("first_person") | listed("second_person")
    return "" if any(word.folded in spoken for word in said) else passage.chunk.title
