"""BM25 by tantivy, over terms that ``analysis`` made.

The index holds terms joined by spaces, so no tokenizer needs registering, and a question is a set of term queries, so
no text of a user ever meets a query parser. A chunk is known by its permanent number alone.

Access: a chunk that may not be seen is never returned, counted or named. Term statistics (how many chunks hold a word,
how long chunks are) are those of the whole index, as in Lucene and its kin: the *score* of a visible chunk moves a
little with what it is compared to. Where even that must not be, give each group an index of its own.
"""

from __future__ import annotations

import contextlib
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tantivy

from ragcli.errors import StoreError
from ragcli.index.lexical.index_files import HINT, check_index_files

FIELDS = ("text", "title", "headings", "nearby")
LOCKS = (".tantivy-writer.lock", ".tantivy-meta.lock")

_LARGE, _EVERYWHERE = 10_000, 0.8
"""In so large an index a term that stands in or beside so many chunks is not sought beside them: it tells none apart
there and takes as long to read as all the others. Measured on six golden sets, nDCG@10 moves by .001 or not at all."""

_NUMBERS = 1 << 62

Keep = Callable[[list[int]], list[bool]]
"""Of chunk numbers: which of them may be shown."""


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
        """Raises StoreError when it cannot be opened, or holds other fields than ``schema``."""
        self._folder = folder
        check_index_files(folder)
        with told(folder, "opened"):
            index, self._searcher = _open(folder)
            self._schema = index.schema
        if self._schema != schema():
            raise StoreError(f"{folder}: the BM25 index has other fields than those of ragcli", hint=HINT)

    @property
    def count(self) -> int:
        """Number of chunks."""
        return int(self._searcher.num_docs)

    def search(
        self,
        terms: Mapping[str, int],
        boosts: Mapping[str, float],
        depth: int,
        *,
        share: float = 1.0,
        keep: Keep | None = None,
        only: Callable[[], Sequence[int]] | None = None,
        few: bool = False,
    ) -> list[tuple[int, float]]:
        """The best ``depth`` chunks as (number, score), best first, equal scores by number.

        A filter never changes the order of what it lets through, so the search takes as many hits as it should need
        (``share`` is the expected share that is kept) and drops those that ``keep`` refuses. When fewer than ``depth``
        are left, as when the question's words stand mostly in chunks that may not be seen, the documents that ``only``
        gives are named in the query instead; at once when they are ``few``. Without ``only`` more and more is taken.
        """
        with told(self._folder, "searched"):
            query = self._query(terms, boosts)
        if query is None or depth < 1:
            return []
        if only is not None and few:
            return self._within(query, only(), depth)
        limit = depth if keep is None else int(depth / max(share, 1e-6) * 1.25) + 32
        while True:
            hits = self._search(query, max(1, min(limit, self.count)))
            kept = hits if keep is None else _kept(hits, keep)
            if len(kept) >= depth or len(hits) < limit or limit >= self.count:
                return _best(kept, depth)
            if only is not None:
                return self._within(query, only(), depth)
            limit *= 8

    def _within(self, query: Any, documents: Sequence[int], depth: int) -> list[tuple[int, float]]:
        with told(self._folder, "searched"):
            restricted = self._restricted(query, documents)
        hits = self._search(restricted, max(1, min(depth, self.count)))
        return _best(hits, depth)

    def numbers(self) -> list[int]:
        """The number of every chunk, ascending; reads the whole column."""
        return sorted(number for number, _ in self._search(tantivy.Query.all_query(), max(1, self.count)))

    def _search(self, query: Any, limit: int) -> list[tuple[int, float]]:
        with told(self._folder, "searched"):
            hits = self._searcher.search(query, limit, count=False).hits
            numbers = self._searcher.fast_field_values("number", [address for _, address in hits])
            found = [(int(number), float(score)) for number, (score, _) in zip(numbers, hits, strict=True)]
            if not all(number < _NUMBERS and math.isfinite(score) for number, score in found):
                raise ValueError("a number or a score that cannot be")
            return found

    def _query(self, terms: Mapping[str, int], boosts: Mapping[str, float]) -> Any:
        clauses = []
        for name in FIELDS:
            boost = boosts.get(name, 1.0)
            if boost <= 0:
                continue
            for term, count in terms.items():
                if name == "nearby" and self._is_everywhere(term):
                    continue
                query = tantivy.Query.term_query(self._schema, name, term, "freq")
                weight = boost * count
                clauses.append((tantivy.Occur.Should, query if weight == 1 else _boosted(query, weight)))
        return tantivy.Query.boolean_query(clauses) if clauses else None

    def _is_everywhere(self, term: str) -> bool:
        return self.count >= _LARGE and self._searcher.doc_freq("nearby", term) > _EVERYWHERE * self.count

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


def _best(hits: list[tuple[int, float]], depth: int) -> list[tuple[int, float]]:
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:depth]


def _kept(hits: list[tuple[int, float]], keep: Keep) -> list[tuple[int, float]]:
    flags = keep([number for number, _ in hits])
    return [hit for hit, flag in zip(hits, flags, strict=True) if flag]


def without_stop_words(words: Sequence[str], language: str) -> set[str]:
    """``words`` less those in tantivy's stop-word list of the language; all of them where it has no list."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    try:
        analyzer = builder.filter(tantivy.Filter.stopword(language)).build()
    except ValueError:
        return set(words)
    return {token if isinstance(token, str) else token.text for token in analyzer.analyze(" ".join(words))}


# Writes a BM25 index: see ``lexical`` for what is in one.

_HEAP_BYTES = 128_000_000
_SMALL_HEAP_BYTES = 15_000_000
_SMALL_BATCH = 2_000
_DELETE_BATCH = 1_000
_PRIVATE = ("meta.json", ".managed.json")


@dataclass(frozen=True, slots=True)
class LexicalChunk:
    """One chunk as BM25 sees it: its number, that of its document's first chunk, and each field's terms."""

    number: int
    document: int
    text: str
    title: str
    headings: str
    nearby: str = ""


class LexicalWriter:
    """Changes an index folder that nobody else has open; segment files already there are never written to."""

    def __init__(self, folder: Path, expected_changes: int) -> None:
        """Raises StoreError when the index that is there cannot be written to."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in LOCKS:
            (folder / name).unlink(missing_ok=True)
        if any(folder.iterdir()):
            check_index_files(folder)
        heap = _SMALL_HEAP_BYTES if expected_changes < _SMALL_BATCH else _HEAP_BYTES
        self._schema = schema()
        with told(folder, "written"):
            self._index = tantivy.Index(self._schema, path=str(folder))
            self._writer = self._index.writer(heap, 1)
        self._folder = folder

    def add(self, chunk: LexicalChunk) -> None:
        """Index one chunk."""
        document = tantivy.Document()
        document.add_unsigned("number", chunk.number)
        document.add_unsigned("document", chunk.document)
        document.add_text("text", chunk.text)
        document.add_text("title", chunk.title)
        document.add_text("headings", chunk.headings)
        document.add_text("nearby", chunk.nearby)
        with told(self._folder, "written"):
            self._writer.add_document(document)

    def delete(self, numbers: Sequence[int]) -> None:
        """Remove the chunks of those numbers."""
        # By query: tantivy's deletion by term takes a number for a signed one and then finds nothing.
        for start in range(0, len(numbers), _DELETE_BATCH):
            batch = list(numbers[start : start + _DELETE_BATCH])
            with told(self._folder, "written"):
                self._writer.delete_documents_by_query(tantivy.Query.term_set_query(self._schema, "number", batch))

    def finish(self) -> None:
        """Commit and wait for merges; the folder may be sealed afterwards. Raises StoreError (a full disk)."""
        with told(self._folder, "written"):
            self._writer.commit()
            self._writer.garbage_collect_files()
            self._writer.wait_merging_threads()
        for name in LOCKS:
            (self._folder / name).unlink(missing_ok=True)
        _open_to_readers(self._folder)


def has_deletions(folder: Path) -> bool:
    """Whether a sealed index still holds entries that were deleted from it."""
    return any(segment["deletes"] is not None for segment in check_index_files(folder))


def _open_to_readers(folder: Path) -> None:
    """Let everyone read who may read a new file here: tantivy keeps two of its files for their owner alone."""
    probe = folder / ".mode"
    probe.touch()
    mode = probe.stat().st_mode & 0o777
    probe.unlink()
    for name in _PRIVATE:
        if (folder / name).exists():
            (folder / name).chmod(mode)
