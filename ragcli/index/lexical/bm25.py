"""BM25 by tantivy, over terms that ``analysis`` made.

The index holds terms joined by spaces, so no tokenizer needs registering, and a question is a set of term queries, so
no text of a user ever meets a query parser. A chunk is known by its permanent number alone.

Access: a chunk that may not be seen is never returned, counted or named, and moves no score. What BM25 counts (chunks,
how many hold a word, how long they are) it counts in all that an index holds, so every set of groups has an index of
its own, a *part*, and a question is put to the parts that its asker may see:

    lexical/                 what is public
    lexical/parts/<name>/    what is for one set of groups
    lexical/parts/shared/    what is for sets beyond the first ``PARTS``: these share their counts

How many chunks there are and how many hold a word is added up over the parts that are asked, so that their scores
compare; the mean length of a chunk stays that of its part. What was deleted counts until its segment is merged or the
index rebuilt.
"""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import tantivy

from ragcli.errors import StoreError
from ragcli.index.lexical.index_files import HINT, PUBLIC, SHARED, check_index_files, part_folder, part_names

FIELDS = ("text", "title", "headings", "nearby")
LOCKS = (".tantivy-writer.lock", ".tantivy-meta.lock")
APART = "apart"
"""A file that says that the public part holds nothing else; in an index of older make it may."""
PARTS = 32

_LARGE, _EVERYWHERE = 10_000, 0.8
"""In so large an index a term that stands in or beside so many chunks is not sought beside them: it tells none apart
there and takes as long to read as all the others. Measured on six golden sets, nDCG@10 moves by .001 or not at all."""

_NUMBERS = 1 << 62

Admitted = Callable[[list[int]], list[bool]]
"""Of chunk numbers: which of them may be shown."""


def part_name(access: str) -> str:
    """The part of chunks with an access set, given as it is stored: ``[]`` for what is public."""
    return PUBLIC if access == "[]" else hashlib.sha256(access.encode()).hexdigest()[:16]


def schema() -> tantivy.Schema:
    """The fields of an entry: two numbers, and the terms of FIELDS without their places."""
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("number", indexed=True, fast=True)
    builder.add_unsigned_field("document", indexed=True)
    for name in FIELDS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


@contextlib.contextmanager
def told(folder: Path, doing: str) -> Iterator[None]:
    """Turn tantivy's complaints into a StoreError, its panics on damaged files included."""
    try:
        yield
    except (ValueError, OSError, TypeError) as error:
        raise _store_error(folder, doing, error) from error
    except BaseException as error:
        # A panic in Rust code arrives as a class that is no Exception and that no module exports.
        if type(error).__name__ != "PanicException":
            raise
        raise _store_error(folder, doing, error) from error


def _store_error(folder: Path, doing: str, error: BaseException) -> StoreError:
    return StoreError(f"{folder}: BM25 index cannot be {doing}: {' '.join(str(error).split())[:300]}", hint=HINT)


class LexicalReader:
    """A sealed BM25 index; every file is mapped on opening and outlives its name."""

    def __init__(self, folder: Path) -> None:
        self._parts = {name: _TextIndex(part_folder(folder, name)) for name in part_names(folder)}
        self._mixed = {SHARED} if (folder / APART).is_file() else {SHARED, PUBLIC}

    @property
    def count(self) -> int:
        """Number of chunks."""
        return sum(part.count for part in self._parts.values())

    def numbers(self) -> list[int]:
        """The number of every chunk, ascending; reads the whole column."""
        return sorted(number for part in self._parts.values() for number in part.numbers())

    def search(
        self,
        terms: Mapping[str, int],
        boosts: Mapping[str, float],
        depth: int,
        *,
        parts: Collection[str] | None = None,
        share: float = 1.0,
        keep: Admitted | None = None,
        only: Callable[[], Sequence[int]] | None = None,
        few: bool = False,
    ) -> list[tuple[int, float]]:
        """The best ``depth`` chunks as (number, score), best first, equal scores by number.

        ``parts`` are those whose chunks may be seen, None for all. A filter never changes the order of what it lets
        through, so the search takes as many hits as it should need (``share`` is the expected share that is kept) and
        drops those that ``keep`` refuses. When fewer than ``depth`` are left, as when the question's words stand mostly
        in chunks that may not be seen, the documents that ``only`` gives are named in the query instead; at once when
        they are ``few``. Without ``only`` more and more is taken.
        """
        asked = [part for name, part in self._parts.items() if parts is None or name in {*parts, *self._mixed}]
        asked = [part for part in asked if part.count]
        fields = {name: boosts.get(name, 1.0) for name in FIELDS if boosts.get(name, 1.0) > 0}
        if depth < 1:
            return []
        holding = [part.holding(fields, terms) for part in asked]
        clauses = _clauses([part.size for part in asked], holding, lambda key: fields[key[0]] * terms[key[1]])
        found = [
            part.search(wanted, depth, share=share, keep=keep, only=only, few=few)
            for part, wanted in zip(asked, clauses, strict=True)
            if wanted
        ]
        return heapq.nsmallest(depth, (hit for hits in found for hit in hits), key=lambda hit: (-hit[1], hit[0]))


Key = tuple[str, str]
"""A field and a term."""
Clause = tuple[str, str, float]
"""A field, a term and what a match is worth."""


def _clauses(
    sizes: Sequence[int], holding: Sequence[Mapping[Key, int]], worth: Callable[[Key], float]
) -> Iterator[list[Clause]]:
    """For each of several parts the terms that it holds, weighed so that matches compare with those in the others.

    ``sizes`` are the chunks of each part, ``holding`` how many of them hold a term in a field. Each part gives a term
    the weight of its own counts; here it gets that of all parts together.
    """
    size, totals = sum(sizes), Counter[Key]()
    for counts in holding:
        totals.update(counts)
    dropped = {
        key for key, count in totals.items() if key[0] == "nearby" and size >= _LARGE and count > _EVERYWHERE * size
    }
    rarity = {key: _rarity(size, count) for key, count in totals.items()}
    for own, counts in zip(sizes, holding, strict=True):
        yield [
            (*key, worth(key) * (1.0 if own == size else rarity[key] / _rarity(own, count)))
            for key, count in counts.items()
            if key not in dropped
        ]


def _rarity(size: int, holding: int) -> float:
    """The inverse document frequency of a term, as tantivy computes it."""
    return math.log(1 + (size - holding + 0.5) / (holding + 0.5))


class _TextIndex:
    """One tantivy index."""

    def __init__(self, folder: Path) -> None:
        """Raises StoreError when it cannot be opened, or holds other fields than ``schema``."""
        self._folder = folder
        # BM25 counts what is deleted as well, and tantivy tells of that nowhere else.
        self.size = sum(int(segment["max_doc"]) for segment in check_index_files(folder))
        with told(folder, "opened"):
            index, self._searcher = _open(folder)
            self._schema = index.schema
            self.count = int(self._searcher.num_docs)
        if self._schema != schema():
            raise StoreError(f"{folder}: the BM25 index has other fields than those of ragcli", hint=HINT)

    def holding(self, fields: Iterable[str], terms: Iterable[str]) -> dict[Key, int]:
        """How many chunks hold each term in each field, where any does."""
        keys = [(name, term) for name in fields for term in terms]
        with told(self._folder, "searched"):
            return {key: count for key in keys if (count := int(self._searcher.doc_freq(*key)))}

    def numbers(self) -> list[int]:
        """The number of every chunk."""
        return [number for number, _ in self._search(tantivy.Query.all_query(), max(1, self.count))]

    def search(
        self,
        clauses: Sequence[Clause],
        depth: int,
        *,
        share: float,
        keep: Admitted | None,
        only: Callable[[], Sequence[int]] | None,
        few: bool,
    ) -> list[tuple[int, float]]:
        """The best of this part alone; see ``LexicalReader.search``."""
        with told(self._folder, "searched"):
            query = self._query(clauses)
        if only is not None and few:
            return self._within(query, only(), depth)
        limit = depth if keep is None else int(depth / max(share, 1e-6) * 1.25) + 32
        while True:
            hits = self._search(query, max(1, min(limit, self.count)))
            kept = hits if keep is None else _kept(hits, keep)
            if len(kept) >= depth or len(hits) < limit or limit >= self.count:
                return kept
            if only is not None:
                return self._within(query, only(), depth)
            limit *= 8

    def _within(self, query: Any, documents: Sequence[int], depth: int) -> list[tuple[int, float]]:
        with told(self._folder, "searched"):
            restricted = self._restricted(query, documents)
        return self._search(restricted, max(1, min(depth, self.count)))

    def _search(self, query: Any, limit: int) -> list[tuple[int, float]]:
        with told(self._folder, "searched"):
            hits = self._searcher.search(query, limit, count=False).hits
            numbers = self._searcher.fast_field_values("number", [address for _, address in hits])
            found = [(int(number), float(score)) for number, (score, _) in zip(numbers, hits, strict=True)]
            if not all(number < _NUMBERS and math.isfinite(score) for number, score in found):
                raise ValueError("a number or a score that cannot be")
            return found

    def _query(self, clauses: Sequence[Clause]) -> Any:
        queries = []
        for name, term, weight in clauses:
            query = tantivy.Query.term_query(self._schema, name, term, "freq")
            queries.append((tantivy.Occur.Should, query if weight == 1 else _boosted(query, weight)))
        return tantivy.Query.boolean_query(queries)

    def _restricted(self, query: Any, documents: Sequence[int]) -> Any:
        allowed = tantivy.Query.term_set_query(self._schema, "document", list(documents))
        unscored = tantivy.Query.const_score_query(allowed, 0.0)
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, unscored)])


def _open(folder: Path) -> tuple[Any, Any]:
    """An index and its searcher, also of a folder that cannot be written.

    tantivy locks a folder for the moment of opening it, with a file that it makes there. Where it may not, a folder of
    links to the files is opened instead, which is gone again as soon as they are mapped.
    """
    try:
        index = tantivy.Index.open(str(folder))
        return index, index.searcher()
    except (ValueError, OSError) as error:
        if "lock" not in str(error).lower():
            raise
    with tempfile.TemporaryDirectory(prefix="ragcli-") as aside:
        for path in folder.iterdir():
            if path.name not in LOCKS:
                (Path(aside) / path.name).symlink_to(path.absolute())
        index = tantivy.Index.open(aside)
        return index, index.searcher()


def _boosted(query: Any, weight: float) -> Any:
    return tantivy.Query.boost_query(query, weight)


def _kept(hits: list[tuple[int, float]], keep: Admitted) -> list[tuple[int, float]]:
    flags = keep([number for number, _ in hits])
    return [hit for hit, flag in zip(hits, flags, strict=True) if flag]


def has_deletions(folder: Path) -> bool:
    """Whether a sealed index still holds entries that were deleted from it."""
    parts = [part_folder(folder, name) for name in part_names(folder)]
    return any(segment["deletes"] is not None for part in parts for segment in check_index_files(part))


def without_stop_words(words: Sequence[str], language: str) -> set[str]:
    """``words`` less those in tantivy's stop-word list of the language; all of them where it has no list."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    try:
        analyzer = builder.filter(tantivy.Filter.stopword(language)).build()
    except ValueError:
        return set(words)
    return {token if isinstance(token, str) else token.text for token in analyzer.analyze(" ".join(words))}
