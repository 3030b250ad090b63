"""Copies of a text: exact ones by hash, near ones by MinHash (Broder 1997), never across what tells versions apart.

Two texts that differ in a number, a date or a status are two versions and both stay; so are two with other readers.
What may be merged differs in its words alone.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ragcli.records import Document

if TYPE_CHECKING:
    from datasketch import MinHash, MinHashLSH

_WORDS = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_FEW = 40
_PERMUTATIONS = 128
_SHINGLE = 3
_SCHEME: Literal["affine32"] = "affine32"


def family_of(document: Document) -> str:
    """Hash of all that two copies must have in common: readers, dates, status and every number in order."""
    meta = document.metadata
    # Word by word: one pattern for "a word with a digit" would try every letter of a long word as its beginning.
    numbers = [word[0] for word in _WORDS.finditer(document.text) if _DIGIT.search(word[0])]
    parts = [sorted(meta.acl), meta.effective_date, meta.expires, meta.status, meta.supersedes, numbers]
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def exact_of(document: Document) -> str:
    """Hash of the text, white space folded."""
    return hashlib.sha256(" ".join(document.text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def sketch_of(text: str) -> bytes:
    """The MinHash of a text's runs of three words, of three signs where it has none, for ``choose_kept``."""
    words = _WORDS.findall(text.lower()) or list("".join(text.split()))
    runs = {" ".join(words[start : start + _SHINGLE]) for start in range(max(1, len(words) - _SHINGLE + 1))}
    sketch = _empty_sketch().copy()
    sketch.update_batch([run.encode("utf-8", "surrogatepass") for run in sorted(runs)])
    return bytes(sketch.hashvalues.astype("<u4").tobytes())


@functools.cache
def _empty_sketch() -> MinHash:
    from datasketch import MinHash

    return MinHash(num_perm=_PERMUTATIONS, seed=1, scheme=_SCHEME)


def size_of(text: str) -> int:
    """The number of words, by which texts that cannot be copies are told at once."""
    return sum(1 for _ in _WORDS.finditer(text))


@dataclass(frozen=True, slots=True)
class Member:
    """A document among those that could be copies of one another."""

    doc_id: str
    exact: str
    size: int


def choose_kept(members: Sequence[Member], sketch: Callable[[str], bytes], threshold: float) -> dict[str, str | None]:
    """For each member of a family the document that stands for it, None for those that stand for themselves.

    ``sketch`` gives a member's MinHash; it is asked only for texts that are no exact copies and that have another of
    about their size. The smallest id of a group stays, so the result does not depend on the order of arrival.
    """
    kept: dict[str, str | None] = {}
    first_of: dict[str, str] = {}
    for member in sorted(members, key=lambda item: item.doc_id):
        kept[member.doc_id] = first_of.get(member.exact)
        first_of.setdefault(member.exact, member.doc_id)
    distinct = [member for member in members if kept[member.doc_id] is None]
    likely = _of_like_size(distinct, threshold)
    if threshold < 1 and likely:
        _merge_near(kept, sorted(likely), sketch, threshold)
    return kept


def _of_like_size(members: Sequence[Member], threshold: float) -> list[str]:
    """Members with another whose size allows the share of common runs that is asked for."""
    ordered = sorted(members, key=lambda item: (item.size, item.doc_id))
    close = [(first.size + 2) >= (threshold - 0.05) * second.size for first, second in itertools.pairwise(ordered)]
    pairs = zip(ordered, [False, *close], [*close, False], strict=True) if ordered else ()
    return [member.doc_id for member, before, after in pairs if before or after]


def _merge_near(
    kept: dict[str, str | None], doc_ids: Sequence[str], sketch: Callable[[str], bytes], threshold: float
) -> None:
    sketches: dict[str, MinHash] = {}
    index = _index(threshold) if len(doc_ids) > _FEW else None
    for doc_id in doc_ids:
        this = _sketch_from(sketch(doc_id))
        likely = sorted(map(str, index.query(this))) if index is not None else sorted(sketches)
        original = next((name for name in likely if sketches[name].jaccard(this) >= threshold), None)
        if original is None:
            sketches[doc_id] = this
            if index is not None:
                index.insert(doc_id, this)
            continue
        kept[doc_id] = original
        kept.update({copy: original for copy, other in kept.items() if other == doc_id})


def _index(threshold: float) -> MinHashLSH:
    from datasketch import MinHashLSH

    return MinHashLSH(params=_bands(threshold), num_perm=_PERMUTATIONS)


@functools.cache
def _bands(threshold: float) -> tuple[int, int]:
    """Bands and rows that find nearly all pairs over the threshold."""
    from datasketch import MinHashLSH

    index = MinHashLSH(threshold=max(0.4, threshold - 0.1), num_perm=_PERMUTATIONS)
    return index.b, index.r


def _sketch_from(data: bytes) -> MinHash:
    import numpy as np
    from datasketch import MinHash

    values = np.frombuffer(data, dtype="<u4").astype(_empty_sketch().hashvalues.dtype)
    return MinHash(num_perm=_PERMUTATIONS, seed=1, scheme=_SCHEME, hashvalues=values)
