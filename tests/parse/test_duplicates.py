from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.parse.duplicates import Member, choose_kept, exact_of, family_of, size_of, sketch_of
from ragcli.records import Document
from tests.parse.builders import parse_one

WORDS = [first + second for first in ("ba", "de", "fi", "go", "hu", "ka") for second in ("lor", "min", "pet", "sul")]


def text(name: str, content: str) -> Document:
    return parse_one(name, content.encode())


def merged_by(documents: Sequence[Document], threshold: float) -> tuple[Document, ...]:
    """The documents without copies, sorted by id, each with the ids of its copies in ``also_in``.

    ``threshold`` is the share of three-word runs two texts must have in common, 1 for exact copies alone.
    """
    by_id = {document.doc_id: document for document in documents}
    families: dict[str, list[Member]] = {}
    for document in documents:
        member = Member(document.doc_id, exact_of(document), size_of(document.text))
        families.setdefault(family_of(document), []).append(member)
    kept: dict[str, str | None] = {}
    for members in families.values():
        kept |= choose_kept(members, lambda doc_id: sketch_of(by_id[doc_id].text), threshold)
    copies: dict[str, list[str]] = {}
    for doc_id, original in sorted(kept.items()):
        if original is not None:
            copies.setdefault(original, []).append(doc_id)
    return tuple(
        replace(by_id[doc_id], also_in=tuple(copies.get(doc_id, ())))
        for doc_id in sorted(by_id)
        if kept[doc_id] is None
    )


def test_copies_leave_and_are_named() -> None:
    documents = [text("b.txt", "same words"), text("a.txt", "same  words"), text("c.txt", "other words")]
    merged = merged_by(documents, 1.0)
    assert [(document.doc_id, document.also_in) for document in merged] == [("a.txt", ("b.txt",)), ("c.txt", ())]


def test_near_copies_need_the_same_numbers_readers_and_dates() -> None:
    first = text("a.txt", " ".join([*WORDS, "limit 20"]))
    near = text("b.txt", " ".join([*WORDS[:-1], "changed", "limit 20"]))
    number = text("c.txt", " ".join([*WORDS, "limit 30"]))
    readers = replace(near, doc_id="d.txt", metadata=replace(near.metadata, acl=("hr",)))
    later = replace(near, doc_id="e.txt", metadata=replace(near.metadata, effective_date="2026-01-01"))
    merged = merged_by([first, near, number, readers, later], 0.7)
    assert [document.doc_id for document in merged] == ["a.txt", "c.txt", "d.txt", "e.txt"]
    assert merged[0].also_in == ("b.txt",)
    assert len(merged_by([first, near], 0.99)) == 2


@pytest.mark.parametrize("count", [10, 120])
def test_many_texts_are_compared_as_few_are(count: int) -> None:
    documents = [
        text(f"{n:03}.txt", " ".join(f"{word}{'xyz'[n % 3]}{n // 2 * 'q'}" for word in WORDS)) for n in range(count)
    ]
    twins = [replace(document, doc_id=f"z{document.doc_id}", text=document.text + " extra") for document in documents]
    merged = merged_by([*documents, *twins], 0.8)
    assert [document.doc_id for document in merged] == [document.doc_id for document in documents]


@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(["one", "two", "six"])), unique_by=lambda p: p[0])
)
def test_exact_copies_do_not_depend_on_order(pairs: list[tuple[str, str]]) -> None:
    members = [Member(name, content, size_of(content)) for name, content in pairs]
    kept = choose_kept(members, lambda name: sketch_of(dict(pairs)[name]), 1.0)
    assert kept == choose_kept(members[::-1], lambda name: b"", 1.0)
    for name, original in kept.items():
        smallest = min(other for other, content in pairs if content == dict(pairs)[name])
        assert original == (None if smallest == name else smallest)


def test_families_tell_versions_apart() -> None:
    document = text("a.txt", "costs 5 euros")
    assert family_of(document) == family_of(text("b.txt", "its price: 5"))
    assert family_of(document) != family_of(text("b.txt", "costs 6 euros"))


def test_a_family_is_known_by_its_words_with_digits_and_a_giant_word_costs_no_hours() -> None:
    giant = replace(text("a.txt", "x"), text="v1 " + "letters" * 300_000 + " 5kg x2y")
    assert family_of(giant) == family_of(replace(giant, text="v1 about 5kg or x2y"))
    assert family_of(giant) != family_of(replace(giant, text="v1 about 5kg or x3y"))


def test_texts_without_words_are_compared_by_their_signs() -> None:
    documents = [text("a.txt", "😀😃🎉"), text("b.txt", "!!! ???"), text("c.txt", "!!!  ???")]
    merged = merged_by(documents, 0.9)
    assert [(document.doc_id, document.also_in) for document in merged] == [("a.txt", ()), ("b.txt", ("c.txt",))]
