"""Faults of a golden set that make its numbers mean less than they seem; pure but for what the resolver reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragcli.evaluate.golden_sets.labels import Judged
from ragcli.evaluate.measuring.compare import contains, tokens
from ragcli.records import GoldenCase

MULTI_HOP_TAGS = frozenset({"multi-hop", "multihop", "multi-source", "comparison", "bridge"})
FROM_RETRIEVER = ("promote:", "retriever", "search")
_SAME = 0.9

KINDS: Mapping[str, str] = {
    "label_not_in_corpus": "a label names a document or chunk that is not in the index",
    "label_not_in_text": "a label's quote, heading or page is not in the parsed text",
    "label_cut": "a label's quote stands in the text but in no chunk whole",
    "nothing_expected": "the case expects nothing: it can only be asked, not measured",
    "one_source": "tagged as needing several sources, with one",
    "duplicate": "the same question twice",
    "answerable_after_all": "marked as unanswerable, but the corpus seems to answer it",
    "answer_not_in_source": "the expected answer does not stand in any labelled document",
    "from_retriever": "the label came from this retriever: its recall is measured against itself",
    "draft": "a proposal that nobody has accepted yet",
}


@dataclass(frozen=True, slots=True)
class CaseFault:
    """One fault of one case."""

    kind: str
    case_id: str
    where: str
    message: str


Answers = Callable[[GoldenCase], str | None]
"""The answer the pipeline gives with support, None when it declines."""
Texts = Callable[[str], str]
"""The text of a document."""


def lint(judged: Sequence[Judged], *, texts: Texts, answers: Answers | None = None) -> list[CaseFault]:
    """Every finding, in the order of the file. Without ``answers`` unanswerable cases are not tried."""
    duplicates = _duplicates([item.case for item in judged])
    found = []
    for item in judged:
        found += [*_labels(item), *_shape(item), *_sources(item, texts)]
        if item.case.case_id in duplicates:
            found.append(_finding("duplicate", item.case, duplicates[item.case.case_id]))
        if answers is not None and not item.case.answerable:
            answer = answers(item.case)
            if answer is not None:
                found.append(_finding("answerable_after_all", item.case, f"answered with: {answer}"))
    return found


def _labels(item: Judged) -> Iterator[CaseFault]:
    kinds = {"not_in_corpus": "label_not_in_corpus", "not_in_text": "label_not_in_text", "cut_by_chunking": "label_cut"}
    for unit in item.faults:
        if unit.fault is not None:
            yield _finding(kinds[unit.fault], item.case, f"{unit.name}: {unit.detail}")


def _shape(item: Judged) -> Iterator[CaseFault]:
    case = item.case
    if case.answerable and not (case.judgments or case.answers or case.contains):
        yield _finding("nothing_expected", case, "no source, no answer")
    sources = {unit.doc_id or unit.name for unit in item.units}
    if MULTI_HOP_TAGS & {tag.casefold() for tag in case.tags} and len(sources) == 1:
        yield _finding("one_source", case, f"only {next(iter(sources))}")
    if case.made_by.startswith(FROM_RETRIEVER):
        yield _finding("from_retriever", case, f"made by {case.made_by}")
    elif case.made_by.startswith("draft"):
        yield _finding("draft", case, f"made by {case.made_by}; delete made_by to accept it")


def _sources(item: Judged, texts: Texts) -> Iterator[CaseFault]:
    """Whether what the answer must contain stands in one of the labelled documents."""
    documents = sorted({unit.doc_id for unit in item.units if unit.doc_id and unit.fault != "not_in_corpus"})
    if not documents or not item.case.contains:
        return
    held = [texts(doc_id) for doc_id in documents]
    for either in item.case.contains:
        if not any(contains(text, wanted) for text in held for wanted in either):
            shown = " or ".join(either)
            yield _finding("answer_not_in_source", item.case, f"{shown!r} is not in {', '.join(documents)}")


def _duplicates(cases: Sequence[GoldenCase]) -> dict[str, str]:
    """Cases whose question is, word for word or nearly, an earlier one asked under the same filters and groups."""
    found: dict[str, str] = {}
    seen: list[tuple[frozenset[str], GoldenCase]] = []
    index: dict[str, list[int]] = {}
    for case in cases:
        words = frozenset(tokens(case.question))
        near = sorted({place for word in words for place in index.get(word, ())})
        earlier = next((seen[place][1] for place in near if _same(words, case, *seen[place])), None)
        if earlier is not None:
            found[case.case_id] = f"as {earlier.case_id} ({earlier.where}): {earlier.question}"
        for word in words:
            index.setdefault(word, []).append(len(seen))
        seen.append((words, case))
    return found


def _same(words: frozenset[str], case: GoldenCase, other_words: frozenset[str], other: GoldenCase) -> bool:
    if (case.filters, case.groups, case.history) != (other.filters, other.groups, other.history):
        return False
    return len(words & other_words) >= _SAME * len(words | other_words)


def _finding(kind: str, case: GoldenCase, message: str) -> CaseFault:
    return CaseFault(kind, case.case_id, case.where, message)
