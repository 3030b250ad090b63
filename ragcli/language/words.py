"""Words of a sentence as the checks compare them: folded, lightly stemmed, function words told apart.

Scripts that write no spaces are compared by pairs of neighbouring characters. The lists are small on purpose: a
missing stop word costs a little precision, a wrong one hides a difference.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0962\u0963\u0980-\u0dff\u0e31-\u0e4e"
_WORD = re.compile(rf"(?:[^\W_]|[{_MARKS}])+(?:['\u2019_.\-/@:](?:[^\W_]|[{_MARKS}])+)*")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")


def listed(text: str) -> frozenset[str]:
    """The words of ``text``: how the tables of this package are written."""
    return frozenset(text.split())


ENGLISH = listed(
    """a an the this that these those and or but if then than so as of in on at by for from to with within without
    into onto over under about after before between during through up down out off per via is are was were be
    been being am do does did done doing have has had having can could may might must shall should will would it
    its itself he she they them their his her him we us our you your i me my who whom whose which what when
    where why how there here also just only very too such some any each every all both more most other another
    same own not no nor never none neither cannot n't dont doesnt didnt isnt arent wasnt werent wont cant
    couldnt shouldnt wouldnt hasnt havent hadnt please tell get got let many much long often far yes one's s t
    re ve ll d m while because until since although though however therefore thus"""
)
GERMAN = listed(
    """der die das den dem des ein eine einer eines einem einen und oder aber wenn dann als von in im an am auf bei
    für aus zu zum zur mit ohne über unter nach vor zwischen während durch ist sind war waren sein bin wird
    werden wurde wurden hat haben hatte kann können darf dürfen muss müssen soll sollen will es er sie wir ihr
    ich mich mir sich wer wen wem wessen welche welcher welches was wann wo warum wie hier da auch nur sehr so
    nicht kein keine keinen keinem keiner nie niemals viele viel lange pro bis dass man dies diese dieser dieses"""
)
ROMANCE = listed(
    """le la les un une des du de d l et ou mais si que qui quoi dont où quand comment pourquoi quel quelle quels
    quelles combien en dans sur sous avec sans pour par est sont était étaient être a ont avait il elle ils
    elles nous vous je tu on se ce cet cette ces ne pas jamais aucun aucune el los las unos unas del al y o pero
    es son era eran fue fueron ser está están ha han había con sin por para como cuando donde dónde cuándo cómo
    qué quién quiénes cuál cuáles cuánto cuántos cuántas cuánta lo su sus no nunca ningún ninguna"""
)
FUNCTION_WORDS = ENGLISH | GERMAN | ROMANCE

NEGATORS = listed(
    """not no never none neither nor cannot without nobody nothing nowhere hardly unable nicht kein keine keinen
    keinem keiner nie niemals ohne pas jamais aucun aucune sans nunca jamás ningún ninguna sin"""
)


@dataclass(frozen=True, slots=True)
class Word:
    """One word in place: ``folded`` for comparison, ``stem`` for comparison across inflections."""

    text: str
    folded: str
    stem: str
    start: int
    end: int

    @property
    def is_content(self) -> bool:
        """Whether it carries meaning of its own."""
        return self.folded not in FUNCTION_WORDS and self.stem not in FUNCTION_WORDS

    @property
    def is_negator(self) -> bool:
        """Whether it turns a statement round."""
        return self.folded in NEGATORS or self.folded.endswith(("n't", "n\u2019t"))


def words(text: str) -> list[Word]:
    """Every word of ``text`` in order."""
    return list(_words(text))


def content_stems(text: str) -> set[str]:
    """Stems of the words of ``text`` that carry meaning."""
    return {word.stem for word in _words(text) if word.is_content}


def _words(text: str) -> Iterator[Word]:
    for match in _WORD.finditer(text):
        token = match.group()
        if _UNSPACED.search(token):
            yield from _pairs(token, match.start())
        else:
            folded = unicodedata.normalize("NFKC", token).casefold().replace("\u2019", "'")
            folded = folded.removesuffix("'s")
            yield Word(token, folded, stem(folded), match.start(), match.end())


def _pairs(token: str, offset: int) -> Iterator[Word]:
    """Runs of letters and digits whole, everything else by overlapping pairs of characters."""
    for run in re.finditer(r"[0-9A-Za-z]+|[^0-9A-Za-z]+", token):
        text, start = run.group(), offset + run.start()
        if text[0].isascii() or len(text) == 1:
            yield Word(text, text.casefold(), text.casefold(), start, start + len(text))
            continue
        for index in range(len(text) - 1):
            pair = text[index : index + 2]
            yield Word(pair, pair, pair, start + index, start + index + 2)


def stem(word: str) -> str:
    """A light English and German stemmer: plural, past and progressive endings, never below four letters."""
    if len(word) < 4 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "i"
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "i"
    for ending in ("ingly", "edly", "ings", "ing", "ed", "es", "en", "ly", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word
