"""The structure strategy, by example: what goes together, what is cut where, and what a chunk repeats."""

from __future__ import annotations

import dataclasses

import pytest

from ragcli.chunk.chunker import chunk_document
from ragcli.chunk.leads import header_of
from ragcli.config import ChunkConfig
from ragcli.records import Alias, Block, Chunk, Document, Section, Span
from tests.chunk.documents import Words, document, of_blocks


def chunks(doc: Document, *, window: int = 256, **settings: object) -> tuple[Chunk, ...]:
    config = dataclasses.replace(ChunkConfig(max_tokens=40, min_tokens=0), **settings)  # type: ignore[arg-type]
    return chunk_document(doc, tokenizer=Words(), config=config, window=window)


def words(count: int, word: str = "word") -> str:
    return " ".join(f"{word}{number}" for number in range(count))


def test_a_section_that_fits_is_one_chunk_with_its_heading_and_path() -> None:
    doc = document(
        ("heading", "Policy", 1), ("paragraph", "General words."), ("heading", "Limits", 2), ("paragraph", "Two days.")
    )
    first, second = chunks(doc)
    assert (first.text, first.heading_path) == ("Policy\n\nGeneral words.", ("Policy",))
    assert (second.text, second.heading_path) == ("Limits\n\nTwo days.", ("Policy", "Limits"))
    assert [c.chunk_id for c in (first, second)] == ["doc.md#1", "doc.md#2"]
    assert second.span.of(doc.text) == second.text
    assert second.token_count == 4


def test_paragraphs_are_packed_evenly_and_kept_whole() -> None:
    doc = document(*[("paragraph", words(15, letter)) for letter in "abcd"])
    assert [c.text.split()[0][0] + c.text.split()[-1][0] for c in chunks(doc)] == ["ab", "cd"]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    sentences = [f"{letter.upper()}{words(14, letter)}." for letter in "abcde"]
    result = chunks(document(("paragraph", " ".join(sentences))))
    assert [c.text for c in result] == [" ".join(sentences[:2]), " ".join(sentences[2:4]), sentences[4]]


def test_a_sentence_that_is_too_long_is_cut_between_words_into_even_parts() -> None:
    result = chunks(document(("paragraph", words(100))))
    assert [c.token_count for c in result] == [34, 33, 33]
    assert " ".join(c.text for c in result) == words(100)


def test_a_word_that_no_chunk_can_hold_is_cut_anyway() -> None:
    result = chunks(document(("paragraph", "x" * 10_000)))
    assert "".join(c.text for c in result) == "x" * 10_000
    assert max(len(c.text) for c in result) <= 16 * 41


def test_chinese_without_spaces_is_cut_at_sentences_then_characters() -> None:
    class Characters(Words):
        def offsets(self, text: str) -> list[tuple[int, int]]:
            return [(i, i + 1) for i, c in enumerate(text) if not c.isspace()]

        def count(self, text: str) -> int:
            return len(self.offsets(text))

    text = "第一句话在这里。" * 4 + "长" * 60 + "。"
    config = ChunkConfig(max_tokens=40, min_tokens=0)
    result = chunk_document(
        document(("paragraph", text), language="zh"), tokenizer=Characters(), config=config, window=256
    )
    assert [c.text for c in result] == ["第一句话在这里。" * 4, "长" * 31, "长" * 29 + "。"]


def test_a_heading_never_stands_alone() -> None:
    doc = document(
        ("heading", "Book", 1),
        ("heading", "Part", 2),
        ("heading", "Chapter", 3),
        ("paragraph", words(38)),
        ("heading", "End", 2),
        ("paragraph", words(30)),
        ("heading", "Nothing here", 1),
    )
    first, last = chunks(doc)
    assert first.text.startswith("Book\n\nPart\n\nChapter\n\nword0") and first.text.endswith("word37")
    assert first.heading_path == ("Book", "Part", "Chapter")
    assert last.text.startswith("End") and last.text.endswith("Nothing here")
    assert last.heading_path == ("Book", "End")


def test_a_document_of_headings_alone_is_kept() -> None:
    doc = document(*[("heading", f"Heading number {n}", 1 + n % 3) for n in range(40)])
    assert "\n\n".join(c.text for c in chunks(doc)) == doc.text


def test_small_neighbours_under_one_parent_are_joined() -> None:
    doc = document(
        ("heading", "Codes", 1),
        ("heading", "E-1", 2),
        ("paragraph", "Broken."),
        ("heading", "E-2", 2),
        ("paragraph", "Late."),
        ("heading", "Other", 1),
        ("paragraph", words(20)),
    )
    assert [c.heading_path for c in chunks(doc, min_tokens=12)] == [("Codes",), ("Other",)]
    assert [c.heading_path for c in chunks(doc)] == [("Codes", "E-1"), ("Codes", "E-2"), ("Other",)]


def test_sections_of_different_parents_are_never_joined() -> None:
    doc = document(
        ("heading", "A", 1), ("heading", "A1", 2), ("paragraph", "One."), ("heading", "B", 1), ("paragraph", "Two."),
        ("heading", "B1", 2), ("paragraph", "Three."),
    )  # fmt: skip
    assert [c.heading_path for c in chunks(doc, min_tokens=30)] == [("A", "A1"), ("B",)]


ROWS = [f"| E-{n} | {words(6, 'cause')} |" for n in range(12)]
TABLE = "\n".join(["| Code | Cause |", "| --- | --- |", *ROWS])


def test_a_table_is_cut_between_rows_and_repeats_caption_and_header() -> None:
    doc = document(("caption", "Error codes"), ("table", TABLE))
    result = chunks(doc, max_tokens=60)
    assert result[0].text.startswith("Error codes\n\n| Code") and result[0].lead == ""
    assert len(result) > 2
    for chunk in result[1:]:
        assert chunk.lead == "Error codes\n| Code | Cause |\n| --- | --- |"
        assert all(line in ROWS for line in chunk.text.split("\n"))
    assert [row for c in result for row in c.text.split("\n") if row in ROWS] == ROWS


@pytest.mark.parametrize(
    ("line", "repeated"), [("Codes of 2026", True), ("These are all codes of 2026.", False), ("As follows:", True)]
)
def test_the_line_above_a_table_stays_with_it(line: str, repeated: bool) -> None:
    result = chunks(document(("paragraph", line), ("table", TABLE)), max_tokens=60)
    assert [chunk.lead.startswith(line) for chunk in result[1:]] == [repeated] * (len(result) - 1)


def test_a_wide_header_is_repeated_whole() -> None:
    header = "| " + " | ".join(words(18, "name").split()) + " |\n|" + " --- |" * 18
    rows = ["| " + " | ".join(words(18, f"r{row}x").split()) + " |" for row in range(6)]
    result = chunks(document(("table", "\n".join([header, *rows]))), max_tokens=200)
    assert len(result) > 2 and all(chunk.lead == header for chunk in result[1:])


def test_aliases_go_with_the_chunk_they_stand_in() -> None:
    doc = document(("table", TABLE))
    starts = [doc.text.index(row) for row in ROWS]
    aliases = tuple(Alias(Span(start, start + 3), f"raw{number}") for number, start in enumerate(starts))
    result = chunks(dataclasses.replace(doc, aliases=aliases), max_tokens=60)
    for chunk in result:
        inside = [number for number, row in enumerate(ROWS) if row in chunk.text]
        assert chunk.aliases == " ".join(f"raw{number}" for number in inside)
        assert "raw" not in chunk.indexed_text


def test_the_repeated_header_counts_against_the_size() -> None:
    doc = document(("table", TABLE))
    for chunk in chunks(doc, max_tokens=60):
        assert Words().count(chunk.lead) + chunk.token_count <= 60


def test_a_header_is_never_cut_from_its_first_row() -> None:
    doc = document(("table", TABLE))
    for size in range(30, 70, 3):
        assert ROWS[0] in chunks(doc, max_tokens=size)[0].text


def test_list_items_that_part_from_their_list_repeat_its_lead_in() -> None:
    items: list[tuple[str, str, int]] = [("list_item", f"- {words(12, letter)}", 1) for letter in "abcdef"]
    doc = document(("paragraph", "Some rules. You must not do the following:"), *items)  # type: ignore[arg-type]
    result = chunks(doc)
    assert result[0].text.startswith("Some rules.") and "- a0" in result[0].text
    assert len(result) > 1
    assert {c.lead for c in result[1:]} == {"You must not do the following:"}
    assert all(c.text.startswith("- ") for c in result[1:])


def test_a_nested_item_repeats_the_item_it_belongs_to() -> None:
    doc = document(
        ("paragraph", "Choose:"),
        ("list_item", "- Europe " + words(20), 1),
        ("list_item", "  - Germany " + words(20), 2),
        ("list_item", "  - France " + words(20), 2),
        ("list_item", "- Asia " + words(20), 1),
    )
    leads = {c.text.split()[1]: c.lead for c in chunks(doc) if c.text.startswith("-")}
    assert leads["France"].startswith("Choose:\n- Europe word0")
    assert leads["Asia"] == "Choose:"


def test_code_is_kept_whole_where_it_fits_and_cut_at_blank_lines_where_not() -> None:
    small = "def f():\n    return one + two"
    doc = document(("paragraph", words(30)), ("code", small), ("paragraph", words(30)))
    assert any(small in c.text for c in chunks(doc))
    blocks = [f"def f{n}():\n    a = {words(10)}\n    return a" for n in range(4)]
    result = chunks(document(("code", "\n\n".join(blocks))))
    assert [c.text for c in result] == ["\n\n".join(blocks[:2]), "\n\n".join(blocks[2:])]


def test_indentation_of_code_is_kept() -> None:
    doc = document(("paragraph", words(38)), ("code", "    indented()\n    more()"))
    assert chunks(doc, max_tokens=39)[-1].text == "    indented()\n    more()"


def test_text_that_no_block_holds_is_kept() -> None:
    text = "# Title\n\nloose words\n\nBody text. tail\n\nlast"
    blocks = [Block("heading", Span(2, 7), None, 1), Block("paragraph", Span(22, 32))]
    doc = dataclasses.replace(of_blocks(text, blocks), sections=(Section(("Title",), Span(2, len(text)), 1),))
    (only,) = chunks(doc)
    assert only.text == text


def test_pages_lines_and_ocr_follow_the_text() -> None:
    text = "one one\n\ntwo two\n\nthree three"
    blocks = [
        Block("paragraph", Span(0, 7), 1),
        Block("paragraph", Span(9, 16), 2),
        Block("paragraph", Span(18, 29), 4),
    ]
    doc = of_blocks(text, blocks, first_line=10, ocr_pages=(4,))
    first, second = chunks(doc, max_tokens=4)
    assert (first.text, first.first_page, first.last_page) == ("one one\n\ntwo two", 1, 2)
    assert (first.first_line, first.last_line, first.ocr) == (10, 12, False)
    assert (second.first_page, second.first_line, second.last_line, second.ocr) == (4, 14, 14, True)


def test_a_long_title_and_path_give_way_before_the_text_does() -> None:
    doc = document(
        ("heading", words(30, "outer"), 1), ("heading", "Inner", 2), ("paragraph", words(30)), title=words(50, "title")
    )
    (chunk,) = chunks(doc, window=130)
    assert chunk.title.endswith("…") and chunk.title.startswith("title0 title1")
    assert chunk.heading_path == ("…", "Inner")
    assert Words().count(chunk.prefix) <= 128 // 4
    assert chunk.text == doc.text


def test_a_window_smaller_than_the_size_wins() -> None:
    doc = document(("paragraph", words(300)), title="A title")
    for chunk in chunks(doc, max_tokens=200, window=64):
        assert Words().count(chunk.indexed_text) <= 62


@pytest.mark.parametrize("text", ["", " \n\n ", "\n"])
def test_a_document_without_text_has_no_chunks(text: str) -> None:
    assert chunks(of_blocks(text, [])) == ()


def test_a_crumb_of_a_section_joins_a_large_neighbour() -> None:
    doc = document(
        ("heading", "A", 1), ("paragraph", words(38)), ("paragraph", words(20)), ("heading", "See", 1),
        ("paragraph", "Git suite."),
    )  # fmt: skip
    first, last = chunks(doc, min_tokens=10)
    assert first.heading_path == ("A",) and first.text.endswith("word37")
    assert last.text.startswith("word0") and last.text.endswith("See\n\nGit suite.")


def test_a_cut_is_made_elsewhere_than_before_words_that_point_back() -> None:
    first, second, third = f"Alpha {words(12, 'a')}.", f"This {words(12, 'b')}.", f"Gamma {words(12, 'c')}."
    doc = document(("paragraph", f"{first} {second} {third}"))
    assert [c.text for c in chunks(doc, max_tokens=30)] == [f"{first} {second}", third]
    assert [c.text for c in chunks(doc, max_tokens=29)] == [f"{first} {second}", third]
    plain = document(("paragraph", f"{first} {third} {second}"))
    assert [c.text for c in chunks(plain, max_tokens=30)] == [first, f"{third} {second}"]


def test_what_a_colon_announces_takes_the_announcement_along() -> None:
    doc = document(("paragraph", words(30) + ". Consider this:"), ("paragraph", words(30, "shown")))
    result = chunks(doc)
    assert [c.lead for c in result] == ["", "Consider this:"]


def test_a_heading_that_would_fill_the_chunk_before_goes_to_its_own_text() -> None:
    doc = document(("heading", "A", 1), ("paragraph", words(30)), ("heading", "B", 1), ("paragraph", "Two words"))
    assert [c.text for c in chunks(doc, max_tokens=32, min_tokens=5)] == [f"A\n\n{words(30)}", "B\n\nTwo words"]


def test_headings_at_the_end_never_stand_alone() -> None:
    whole = document(("paragraph", words(40)), ("heading", "Nothing here", 1), ("heading", "Nor here", 2))
    assert [c.text for c in chunks(whole)] == [whole.text]
    full = document(("paragraph", words(60)), ("heading", "Nothing here", 1))
    assert [c.text for c in chunks(full, max_tokens=100, window=63)][-1].endswith("Nothing here")
    assert all("word" in c.text for c in chunks(full, max_tokens=100, window=63))


def test_a_stray_space_far_from_the_cut_does_not_make_a_crumb() -> None:
    text = "ab " + "長" * 600
    result = chunks(document(("paragraph", text)), max_tokens=16)
    assert "".join(c.text for c in result) == text
    assert min(len(c.text) for c in result) > 150


def test_a_title_is_not_repeated_by_the_first_heading_in_another_case() -> None:
    (chunk,) = chunks(document(("heading", "GIT-CONFIG", 1), ("paragraph", "Words."), title="git-config"))
    assert chunk.prefix == "git-config"
    assert chunk.heading_path == ("GIT-CONFIG",)


def test_a_row_of_dashes_without_end_is_no_rule_under_a_header_and_costs_no_hours() -> None:
    row = "-" * 300_000
    assert header_of(f"Name\n{row}x\nvalue", Span(0, 300_012)) is None
    assert header_of(f"Name\n{row}\nvalue", Span(0, 300_011)) == Span(0, 300_005)
