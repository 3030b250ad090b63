from __future__ import annotations

from ragcli.parse.assemble import sections_of
from ragcli.records import Block, Span


def heading(place: int, level: int | None) -> Block:
    return Block("heading", Span(3 * place, 3 * place + 2), None, level)


def test_a_section_reaches_to_the_next_heading_of_its_level_or_above() -> None:
    blocks = [heading(place, level) for place, level in enumerate([2, 3, 3, None, 4, 2])]
    sections = sections_of("H0\nH1\nH2\nH3\nH4\nH5\n", blocks)
    assert [section.span for section in sections] == [
        Span(0, 9),
        Span(3, 6),
        Span(6, 9),
        Span(9, 18),
        Span(12, 15),
        Span(15, 18),
    ]
    assert [section.heading_path for section in sections] == [
        ("H0",), ("H0", "H1"), ("H0", "H2"), ("H3",), ("H3", "H4"), ("H3", "H5"),
    ]  # fmt: skip


def test_a_hundred_thousand_headings_cost_no_hours() -> None:
    count = 100_000
    sections = sections_of("ab\n" * count, [heading(0, 1), *(heading(place, 2) for place in range(1, count))])
    assert sections[0].span == Span(0, 3 * count)
    assert sections[-2].span == Span(3 * count - 6, 3 * count - 3)
