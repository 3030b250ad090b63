"""A model's reply -> claims: by schema, as tagged text or, when nothing else can be read, as prose with [n] marks."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragcli.answer.model.message import spoken
from ragcli.language.sentences import sentence_spans
from ragcli.records import Claim


@dataclass(frozen=True, slots=True)
class Reply:
    """What was read from a reply."""

    found: bool
    claims: tuple[Claim, ...]


_FENCE = re.compile(r"\A\s*```(?:json|xml)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_ANSWER = re.compile(r"<answer\b([^>]*)>(.*?)(?:</answer\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_SENTENCE = re.compile(r"<sentence\b[^>]*>(.*?)</sentence\s*>", re.DOTALL | re.IGNORECASE)
_CITE = re.compile(r"<cite\b([^>]*)>(.*?)</cite\s*>", re.DOTALL | re.IGNORECASE)
_PASSAGE = re.compile(r"""(?:passage|id)\s*=\s*["']?\s*([^"'\s>]*)""", re.IGNORECASE)
_ANSWER_TAG = re.compile(r"<answer\b([^>]*)>", re.IGNORECASE)
_SENTENCES = re.compile(r'"sentences"\s*:\s*\[')
_FOUND = re.compile(r'"found"\s*:\s*true')
_DECLINED = re.compile(r"""\W*(?:json\s*)?\{?\s*(?:"found"\s*:|<answer\s+found\s*=)\s*["']?false""", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,]*")
_NOT_FOUND = re.compile(r"""found\s*=\s*["']?\s*false""", re.IGNORECASE)
_MARK = re.compile(r"\s*\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]")


def read_structured(text: str) -> Reply | None:
    """A reply in the schema's form; None when it is not."""
    fenced = _FENCE.match(text)
    body = fenced[1] if fenced else text
    start = body.find("{")
    if start < 0:
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(body, start)
    except (json.JSONDecodeError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("found"), bool):
        return None
    sentences = value.get("sentences", [])
    if not isinstance(sentences, list):
        return None
    claims = [claim_of(item) for item in sentences]
    if any(claim is None for claim in claims):
        return None
    kept = tuple(claim for claim in claims if claim is not None and claim.text)
    return Reply(value["found"] and bool(kept), kept if value["found"] else ())


def claim_of(item: Any) -> Claim | None:
    """One element of ``sentences`` as a claim; None when it has another shape."""
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        return None
    citations = item.get("citations", [])
    if not isinstance(citations, list) or not all(isinstance(citation, dict) for citation in citations):
        return None
    text, marked = _without_marks(item["text"])
    cited = [str(citation.get("passage", "")) for citation in citations]
    quotes = [_plain(str(citation.get("quote", ""))) for citation in citations]
    return Claim(text, tuple(cited or marked), tuple(quotes))


def read_tagged(text: str) -> Reply | None:
    """A reply in the tagged form; None when it is not."""
    match = _ANSWER.search(text)
    if match is None:
        return None
    if _NOT_FOUND.search(match[1]):
        return Reply(False, ())
    claims = tuple(claim for claim in (_tagged_claim(part) for part in _SENTENCE.findall(match[2])) if claim.text)
    if claims:
        return Reply(True, claims)
    return None


def _tagged_claim(part: str) -> Claim:
    cites = [(_PASSAGE.search(attributes), quote) for attributes, quote in _CITE.findall(part)]
    text, marked = _without_marks(_plain(re.sub(r"<[^>]{0,200}>", "", _CITE.sub("", part))))
    cited = tuple(found[1] if found else "" for found, _ in cites)
    return Claim(text, cited or marked, tuple(_plain(quote) for _, quote in cites))


def read_prose(text: str) -> Reply:
    """Sentences with the [n] marks in or right after them; what cannot be read as more is still checked as this."""
    plain = _plain(re.sub(r"</?(?:answer|sentence|cite|passage)\b[^>]{0,200}>", " ", text, flags=re.IGNORECASE))
    joined = re.sub(r"([.!?])((?:\s*\[\d[\d,\s]*\])+)", r"\2\1", plain)
    claims = [_without_marks(span.of(joined)) for span in sentence_spans(joined)]
    kept = tuple(Claim(sentence, cited) for sentence, cited in claims if any(map(str.isalnum, sentence)))
    return Reply(bool(kept), kept)


def read_cited(content: Sequence[Mapping[str, Any]]) -> Reply | None:
    """A reply whose text blocks carry the citations of the Messages API (documents sent with ``citations`` enabled);
    None when none does.

    A block is a stretch of a sentence or more; each sentence cites what the blocks in it cite. ``document_index``
    counts from 0 where passages count from 1, and ``cited_text`` is the quote, whatever kind of location comes with it.
    """
    blocks = [block for block in content if block.get("type") == "text" and isinstance(block.get("text"), str)]
    if not any(block.get("citations") for block in blocks):
        return None
    text, places = "", []
    for block in blocks:
        places.append((len(text), len(text) + len(block["text"]), block.get("citations") or ()))
        text += block["text"]
    claims = []
    for span in sentence_spans(text):
        found = [one for start, end, cited in places if start < span.end and span.start < end for one in cited]
        pairs = dict.fromkeys(
            (str(one["document_index"] + 1), _plain(str(one.get("cited_text") or "")))
            for one in found
            if isinstance(one.get("document_index"), int)
        )
        claims.append(
            Claim(
                re.sub(r"\s+", " ", span.of(text)),
                tuple(number for number, _ in pairs),
                tuple(quote for _, quote in pairs),
            )
        )
    kept = tuple(claim for claim in claims if any(map(str.isalnum, claim.text)))
    return Reply(bool(kept), kept)


def _without_marks(text: str) -> tuple[str, tuple[str, ...]]:
    numbers = [number.strip() for match in _MARK.finditer(text) for number in match[1].split(",")]
    return re.sub(r"\s+", " ", _MARK.sub("", text)).strip(), tuple(dict.fromkeys(numbers))


def _plain(text: str) -> str:
    return html.unescape(text).strip()


def read_begun(text: str) -> Reply | None:
    """What is complete of a reply that ends too early, in any form; None when no sentence of it is.

    Of prose the last sentence is left out unless it ends as sentences do. That nothing was found is complete as soon as
    it is said.
    """
    if _DECLINED.match(text):
        return Reply(False, ())
    claims = tuple(ClaimStream().feed(text))
    if not claims and not text.lstrip(" \n`").startswith(("{", "<", "json")):
        claims = read_prose(text).claims
        claims = claims if text.rstrip().endswith((".", "!", "?", "]")) else claims[:-1]
    return Reply(True, claims) if claims else None


class ClaimStream:
    """Claims from a reply while it is still being written: each as soon as it is closed, by schema or tagged."""

    def __init__(self) -> None:
        self._text = ""
        self._at = -1
        self._next: Callable[[], Claim | None] = self._object

    def feed(self, more: str) -> Iterator[Claim]:
        """Adds text; yields the claims it completed."""
        self._text += more
        if self._at < 0 and not self._begun(spoken(self._text)):
            return
        while (claim := self._next()) is not None:
            if claim.text:
                yield claim

    def _begun(self, text: str) -> bool:
        """Whether the sentences have begun in the spoken ``text``, and in which form."""
        if tag := _ANSWER_TAG.search(text):
            self._next = self._element
            self._text, self._at = text, len(text) if _NOT_FOUND.search(tag[1]) else tag.end()
        elif found := _SENTENCES.search(text):
            if _FOUND.search(text, 0, found.start()):
                self._text, self._at = text, found.end()
        return self._at >= 0

    def _element(self) -> Claim | None:
        match = _SENTENCE.search(self._text, self._at)
        if match is None:
            return None
        self._at = match.end()
        return _tagged_claim(match[1])

    def _object(self) -> Claim | None:
        start = _BETWEEN.match(self._text, self._at).end()  # type: ignore[union-attr] # it matches nothing as well
        if not self._text.startswith("{", start):
            return None
        try:
            value, end = json.JSONDecoder().raw_decode(self._text, start)
        except (json.JSONDecodeError, RecursionError):
            return None
        claim = claim_of(value)
        self._at = end if claim is not None else len(self._text)
        return claim
