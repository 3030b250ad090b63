"""Text in a document that speaks to whoever reads it for an answer: orders, fake delimiters, fake turns of speech.

Such a sentence is never an answer of the offline answerer. The rule looks for the forms, not for words: a handbook may
write about prompts and instructions as much as it likes, as long as it does not address the model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ragcli.language.patterns import pattern
from ragcli.language.scripts import JOINERS, UNSEEN
from ragcli.records import Passage

_FORMS = pattern(
    r"""
      (?:^|[.!?:;,>\-*"'“]\s*|\b(?:please|must|should|now|and|to)\s+)
        (?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,40}
        \b(?:previous|prior|above|earlier|preceding|all|any|your|these|the\ (?:system|other))\b[^.!?\n]{0,30}
        \b(?:instructions?|rules?|prompts?|directions?|guidelines|passages?|context|sources?|documents?)\b
    | \b(?:ignoriere|vergiss|missachte)\b[^.!?\n]{0,50}\b(?:anweisung|regel|vorgabe|instruktion)\w*
    | \b(?:ignorez|oubliez|ignora|olvida)\b[^.!?\n]{0,50}\b(?:instructions?|consignes|instrucciones|reglas)\b
    | (?:以前|前|上記|これまで)の(?:すべての)?(?:指示|命令|ルール)[^。\n]{0,12}(?:無視|忘れ)
    | (?:忽略|无视|忘记|無視)[^。\n]{0,12}(?:指令|指示|规则|提示)
    | <\s*/?\s*(?:passages?|question|system|sentence|cite)\b[^>\n]{0,80}>
    | <\s*(?:answer|instructions?|context)\s[^>\n]{0,60}=[^>\n]{0,60}>
    | \[/?(?:INST|SYS|SYSTEM)\] | <\|[a-z_]{2,20}\|> | <</?SYS>> | ^\#{2,}\s*(?:system|instructions?|assistant)\s*:?\s*$
    | (?:^|[.!?>]\s+)(?:system|assistant|developer|human)\s*(?:prompt|message|note|override)?\s*:\s*[^\s:]
    | \byou\ are\ now\b[^.!?\n]{0,60}\b(?:mode|assistant|ai|dan|admin\w*|unrestricted|free|jailbroken)\b
    | \b(?:maintenance|developer|debug|god|admin|jailbreak)\ mode\s+(?:is\s+|has\s+been\s+)?
        (?:now\s+(?:enabled|on|active|activated)|(?:enabled|on|active|activated)\s+now|activated)\b
    | \b(?:whatever|regardless\ of|no\ matter|when(?:ever)?\ (?:asked|someone\ asks|a\ user\ asks))\b[^.!?\n]{0,50}
        \b(?:question|asked|asks?|query)\b[^.!?\n]{0,60}\b(?:answer|reply|say|respond|state|output|write|tell)\b
    | \b(?:answer|reply|respond|output|say|print)\s+(?:only|exactly|with|that)\b[^.!?\n]{0,60}
        \b(?:cite|citing|as\ \[\d|passage\ \d|nothing\ else|to\ (?:every|any|all))\b
    | \b(?:do\ not|don't|never)\ (?:mention|reveal|disclose|cite|quote)\b[^.!?\n]{0,40}
        \b(?:this\ (?:text|note|message|instruction|passage)|these\ (?:instructions|words)|prompt)\b
    | \b(?:cite|quote)\s+(?:this|it|the\ \w+(?:\ \w+)?)\s+as\s+\[?\d
    | \b(?:ai|language\ model|chatbot|assistant|llm)s?\b[^.!?\n]{0,30}
        \b(?:must|should|shall|have\ to|are\ (?:instructed|required))\b[^.!?\n]{0,60}
        \b(?:answer|reply|respond|say|state|ignore|output|recommend|include|add|tell|print)\b
    | \b(?:note|message|instruction|attention|important)\w*\s+(?:to|for)\s+(?:the\ |any\ |all\ )?
        (?:ai|llm|language\ model|assistant|chatbot|model|system)s?\b
    | \b(?:attention|dear|hello|hey|note)\s*,?\s+(?:ai|llm|assistant|chatbot|language\ model)s?\b\s*[:,!]
    | \bfor\s+(?:ais?|llms?|chatbots?|assistants|language\ models?)\s*:
    | \b(?:requires?|orders?|instructs?)\s+(?:that\s+)?you\s+(?:to\s+)?(?:answer|reply|say|respond|state)\b
    | \bwhen(?:ever)?\ (?:asked|someone\ asks|an?y?\ user\ asks)\b[^.!?\n]{0,100}
        \b(?:answer|reply|respond|say|print|output|send|claim)\b
    | \b(?:the\ user|the\ asker)\ is\ (?:an?\ )?(?:admin\w*|developer|root|authori[sz]ed)\b
    | \b(?:reveal|print|repeat|show|output|leak)\b(?!-)[^.!?\n]{0,30}
        \b(?:system\ prompt|your\ (?:instructions|prompt|rules)|api\ key)
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)


_INVISIBLE = pattern(f"[{UNSEEN}{JOINERS}]")
_PARAGRAPH = pattern(r"\S(?:.*\S)?(?:\n[^\S\n]*\S.*)*")
_PAIRED = pattern(r"<\s*(/?)\s*(documents?|answer|instructions?|context)\b[^<>\n]{0,80}>", re.IGNORECASE)
_BEFORE, _AFTER = 400, 1000


def addresses_the_model(text: str) -> bool:
    """Whether ``text`` gives orders to, or imitates the frame of, whoever answers from it."""
    return next(_places(text), None) is not None


def suspicious_spans(text: str) -> list[tuple[int, int]]:
    """Where such text stands: the paragraph around each match, so that what an order brings along goes with it.

    A paragraph may be a whole page of code on one line: what is far from the match is left in.
    """
    return [span for paragraph in _PARAGRAPH.finditer(text) for span in _veiled(paragraph.group(), paragraph.start())]


def _veiled(paragraph: str, offset: int) -> list[tuple[int, int]]:
    """The parts of one paragraph to leave out, in order and apart, in the text that has it at ``offset``."""
    places = sorted(_places(paragraph))
    if places and _INVISIBLE.search(paragraph):  # places are not those of the text as it is read
        return [(offset, offset + len(paragraph))]
    spans: list[tuple[int, int]] = []
    for start, end in places:
        left, right = max(0, start - _BEFORE) + offset, min(len(paragraph), end + _AFTER) + offset
        if spans and left <= spans[-1][1]:
            left, right = spans[-1][0], max(right, spans.pop()[1])
        spans.append((left, right))
    return spans


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Every match, in order of kind; places are in the text without invisible characters."""
    plain = _unveiled(text)
    for match in _FORMS.finditer(plain):
        yield match.span()
    yield from _breaking_out(plain)


def _breaking_out(plain: str) -> Iterator[tuple[int, int]]:
    """Closing tags that nothing before them opened: a text about prompts writes them in pairs."""
    opened: Counter[str] = Counter()
    for match in _PAIRED.finditer(plain):
        name = match[2].casefold()
        if not match[1]:
            opened[name] += 1
        elif opened[name]:
            opened[name] -= 1
        elif not plain[: match.start()].endswith("`"):
            yield match.span()


def notice(passages: Sequence[Passage]) -> str:
    """A sentence for the user about the sources that hold such text; ``""`` when none does."""
    sources = sorted({passage.source for passage in passages if addresses_the_model(passage.text)})
    if not sources:
        return ""
    return f"text that gives orders to the answerer was found, and not followed, in: {', '.join(sources)}"


def _unveiled(text: str) -> str:
    """Look-alike angle brackets and invisible characters as what they stand for."""
    plain = _INVISIBLE.sub("", text)
    return plain.translate({0xFF1C: "<", 0xFF1E: ">", 0x2039: "<", 0x203A: ">", 0xFE64: "<", 0xFE65: ">", 0xFF1A: ":"})
