from __future__ import annotations

import pytest

from ragcli.errors import GoldenError
from ragcli.evaluate.golden_sets.labels import Judged, Target
from ragcli.evaluate.golden_sets.resolving import Resolver
from ragcli.evaluate.measuring.measures import measure
from ragcli.records import Block, GoldenCase, Judgment, Section, Span
from tests.evaluate.builders import FakeCorpus, chunked, corpus, document, named

TEXT = "Remote work is limited to two days. Ask your manager first. Then tell the office."


def judge(where: FakeCorpus, *judgments: Judgment, evidence: tuple[Judgment, ...] = ()) -> Judged:
    return Resolver(where).judge(GoldenCase("c", "q", judgments, evidence, where="g:1"))


def only(where: FakeCorpus, judgment: Judgment) -> Target:
    (unit,) = judge(where, judgment).units
    return unit


@pytest.mark.parametrize(
    ("source", "doc_id"),
    [
        ("hr/policy.md", "hr/policy.md"),
        ("policy.md", "hr/policy.md"),
        ("policy", "hr/policy.md"),
        ("sf-1.txt", "corpus.jsonl!sf-1.txt"),
        ("b.zip!notes/x.txt", "a/b.zip!notes/x.txt"),
    ],
)
def test_a_source_is_an_id_or_a_suffix_at_a_boundary(source: str, doc_id: str) -> None:
    where = named("hr/policy.md", "hr/mypolicy.md", "corpus.jsonl!sf-1.txt", "a/b.zip!notes/x.txt")
    assert only(where, Judgment(source)).doc_id == doc_id


def test_an_exact_id_wins_over_a_suffix() -> None:
    assert only(named("a.md", "x/a.md"), Judgment("a.md")).doc_id == "a.md"


def test_an_ambiguous_suffix_names_the_candidates() -> None:
    with pytest.raises(GoldenError, match=r"g:1: 'a.md' fits 2 documents: x/a.md, y/a.md"):
        judge(named("x/a.md", "y/a.md"), Judgment("a.md"))


def test_a_source_merged_into_another_document_is_found_there() -> None:
    doc = document("a.md", TEXT, also_in=["old/copy.md"])
    assert only(corpus((doc, chunked(doc))), Judgment("copy.md")).doc_id == "a.md"


def test_bare_sources_read_no_document() -> None:
    where = named("a.md", "b.md")
    judge(where, Judgment("a.md"), Judgment("b.md"))
    assert where.read == []


def test_a_source_that_left_the_corpus() -> None:
    unit = only(named("a.md"), Judgment("gone.md"))
    assert (unit.fault, unit.served_by("gone.md#1")) == ("not_in_corpus", False)


def test_chunk_labels() -> None:
    doc = document("hr/remote-policy.md", TEXT)
    where = corpus((doc, chunked(doc, 36)))
    assert only(where, Judgment("remote-policy", chunk=2)).chunk_ids == {"hr/remote-policy.md#2"}
    gone = only(where, Judgment("remote-policy", chunk=3))
    assert gone.fault == "not_in_corpus"
    assert "2 chunks now" in gone.detail


def test_quote_labels_name_the_chunks_that_hold_the_quote_whole() -> None:
    doc = document("a.md", TEXT)
    where = corpus((doc, chunked(doc, 36)))
    unit = only(where, Judgment("a.md", quote="LIMITED to\n two days"))
    assert unit.chunk_ids == {"a.md#1"}
    assert unit.spans[0].of(TEXT) == "limited to two days"
    assert only(where, Judgment("a.md", quote="two days. Ask")).fault == "cut_by_chunking"
    assert only(where, Judgment("a.md", quote="three days")).fault == "not_in_text"


def test_a_quote_is_found_in_spite_of_typography() -> None:
    doc = document("a.md", "The \u201cfirst\u201d of\u00adfice is in re-\nconstruction.")
    assert (
        only(corpus((doc, chunked(doc))), Judgment("a.md", quote='The "first" office is in reconstruction')).fault
        is None
    )


def test_a_quote_that_stands_twice_is_served_by_both_chunks() -> None:
    doc = document("a.md", "Two days. Other. Two days.")
    assert only(corpus((doc, chunked(doc, 10, 17))), Judgment("a.md", quote="Two days")).chunk_ids == {
        "a.md#1",
        "a.md#3",
    }


def test_heading_labels_take_the_section_by_words_or_anchor() -> None:
    doc = document("a.md", TEXT, sections=[Section(("Work", "The limits"), Span(36, len(TEXT)), 2)])
    where = corpus((doc, chunked(doc, 36, 60)))
    for heading in ("The Limits", "the-limits"):
        assert only(where, Judgment("a.md", heading=heading)).chunk_ids == {"a.md#2", "a.md#3"}
    assert only(where, Judgment("a.md", heading="Limits of all")).fault == "not_in_text"


def test_page_labels_take_the_chunks_that_share_half_with_the_page() -> None:
    blocks = [Block("paragraph", Span(0, 35), page=1), Block("paragraph", Span(36, 59), page=2)]
    blocks.append(Block("paragraph", Span(60, len(TEXT)), page=2))
    doc = document("a.pdf", TEXT, blocks=blocks)
    where = corpus((doc, chunked(doc, 36, 60)))
    assert only(where, Judgment("a.pdf", page=2)).chunk_ids == {"a.pdf#2", "a.pdf#3"}
    assert only(where, Judgment("a.pdf", page=3)).fault == "not_in_text"


def test_document_level_counts_a_document_once_at_its_best_chunk() -> None:
    judged = judge(named("a", "b", "c"), Judgment("b", relevance=2), Judgment("c"))
    assert judged.level == "document"
    assert judged.items(["a#1", "a#2", "b#9", "a#3", "b#1", "c#1"]) == ["a", "b", "c"]
    assert judged.relevance == {"b": 2, "c": 1}


def test_chunk_level_counts_passages_and_gains_a_label_once() -> None:
    doc = document("a.md", TEXT, sections=[Section(("All",), Span(0, len(TEXT)), 1)])
    judged = judge(corpus((doc, chunked(doc, 36))), Judgment("a.md", heading="All"))
    name = judged.units[0].name
    assert judged.level == "chunk"
    assert judged.items(["x#1", "x#2", "a.md#2", "a.md#1"]) == ["x#1", "x#2", name, "a.md#1"]
    assert measure("R@3", judged.items(["x#1", "x#2", "a.md#2"]), judged.relevance) == 1.0


def test_a_bare_source_beside_a_quote_is_still_met_at_its_best_chunk_only() -> None:
    doc, other = document("a.md", TEXT), document("b.md", TEXT)
    where = corpus((doc, chunked(doc, 36)), (other, chunked(other, 36)))
    judged = judge(where, Judgment("b.md"), Judgment("a.md", quote="two days"))
    assert judged.level == "chunk"
    assert judged.items(["b.md#2", "b.md#1", "x#1", "x#2", "a.md#1"]) == ["b.md", "x#1", "x#2", "a.md “two days”"]


def test_labels_with_the_same_chunks_are_one_of_the_highest_grade() -> None:
    doc = document("a.md", TEXT)
    where = corpus((doc, chunked(doc, 36)))
    judged = judge(where, Judgment("a.md", quote="Remote work"), Judgment("a.md", quote="two days", relevance=3))
    assert [unit.relevance for unit in judged.units] == [3]
    assert len(judged.units[0].spans) == 2


def test_one_chunk_can_stand_for_two_labels() -> None:
    doc = document("a.md", "Two days. Other. Two days. Ask.")
    judged = judge(
        corpus((doc, chunked(doc, 10, 17))), Judgment("a.md", quote="Two days"), Judgment("a.md", quote="Ask")
    )
    assert measure("R@5", judged.items(["a.md#3"]), judged.relevance) == 1.0


def test_a_label_that_nothing_can_serve_stays_in_the_denominator() -> None:
    judged = judge(named("a"), Judgment("a"), Judgment("gone"))
    assert measure("R@5", judged.items(["a#1"]), judged.relevance) == 0.5
    assert [unit.fault for unit in judged.faults] == ["not_in_corpus"]


def test_evidence_may_span_chunks_of_which_those_that_share_half_count() -> None:
    """The evidence has 50 characters: chunk 1 holds all its own 36, chunk 2 has 14 of 24, chunk 3 nothing."""
    doc = document("a.md", TEXT)
    evidence = Judgment("a.md", quote=TEXT[:50])
    judged = judge(corpus((doc, chunked(doc, 36, 60))), Judgment("a.md"), evidence=(evidence,))
    assert [unit.chunk_ids for unit in judged.evidence] == [{"a.md#1", "a.md#2"}]
    short = Judgment("a.md", quote=TEXT[:44])  # 8 of 24: less than half
    judged = judge(corpus((doc, chunked(doc, 36, 60))), Judgment("a.md"), evidence=(short,))
    assert [unit.chunk_ids for unit in judged.evidence] == [{"a.md#1"}]


def test_evidence_counts_where_it_stands_and_is_kept_when_it_stands_nowhere() -> None:
    a, b = document("a", "It is so."), document("b", "Other.")
    where = corpus((a, chunked(a)), (b, chunked(b)))
    bare = (Judgment("a"), Judgment("b"))
    found = judge(where, *bare, evidence=(Judgment("a", quote="It is so"), Judgment("b", quote="It is so")))
    assert [unit.doc_id for unit in found.evidence] == ["a"]
    lost = judge(where, *bare, evidence=(Judgment("a", quote="Never said"),))
    assert [unit.fault for unit in lost.evidence] == ["not_in_text"]
