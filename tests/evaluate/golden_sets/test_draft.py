from __future__ import annotations

import dataclasses
import json

from ragcli.evaluate.golden_sets.draft import Draft, draft_offline, draft_with_model
from ragcli.evaluate.golden_sets.file import parse_golden
from ragcli.evaluate.judge.claims import read_object
from ragcli.records import Document, Metadata, Section, Span
from tests.evaluate.builders import document

TEXT = "# Pumps\n\nA lift pump is a machine that raises water.\n\n## Care\n\nOil the bearings every month. Clean it.\n"
CARE = TEXT.index("## Care")


def pumps(**more: object) -> Document:
    made = document(
        "pumps.md",
        TEXT,
        sections=[Section(("Pumps",), Span(0, len(TEXT)), 1), Section(("Pumps", "Care"), Span(CARE, len(TEXT)), 2)],
    )
    return dataclasses.replace(made, title="Pumps", **more)  # type: ignore[arg-type]


def valves() -> Document:
    text = "# Valves\n\nThere are many.\n\n## Warranty\n\nThe warranty ends after two years.\n"
    section = Section(("Valves", "Warranty"), Span(text.index("## W"), len(text)), 2)
    return dataclasses.replace(document("valves.md", text, sections=[section]), title="Valves")


def test_definitions_and_headings_become_questions_with_their_quote() -> None:
    assert draft_offline([pumps()], limit=10, unanswerable=0) == [
        Draft("What is a lift pump?", "pumps.md", "A lift pump is a machine that raises water."),
        Draft("What does “Pumps” say about “Care”?", "pumps.md", "Oil the bearings every month."),
    ]


def test_a_heading_that_is_a_question_is_asked_as_it_stands() -> None:
    text = "# FAQ\n\n## Who cleans the filter?\n\nThe night shift cleans the filter.\n"
    made = document("faq.md", text, sections=[Section(("FAQ", "Who cleans the filter?"), Span(7, len(text)), 2)])
    assert [draft.question for draft in draft_offline([made], limit=5, unanswerable=0)] == ["Who cleans the filter?"]


def test_questions_about_a_heading_are_in_the_documents_language() -> None:
    german = pumps(metadata=Metadata(language="de"))
    assert draft_offline([german], limit=10, unanswerable=0)[-1].question == "Was steht in „Pumps“ über „Care“?"


def test_the_share_without_an_answer_asks_a_document_about_words_it_does_not_hold() -> None:
    drafts = draft_offline([pumps(), valves()], limit=4, unanswerable=0.5)
    nothing = [draft for draft in drafts if not draft.quote]
    assert [draft.question for draft in nothing] == [
        "What does “Pumps” say about “Warranty”?",
        "What does “Valves” say about “Care”?",
    ]
    assert len(drafts) == 4


def test_a_heading_whose_words_a_document_holds_is_no_question_without_an_answer() -> None:
    knowing = dataclasses.replace(pumps(), text=TEXT + "The warranty is void.\n")
    nothing = [draft for draft in draft_offline([knowing, valves()], limit=4, unanswerable=0.5) if not draft.quote]
    assert [draft.question for draft in nothing] == ["What does “Valves” say about “Care”?"]


def test_documents_take_turns_and_the_limit_holds() -> None:
    drafts = draft_offline([pumps(), valves()], limit=2, unanswerable=0)
    assert [draft.source for draft in drafts] == ["pumps.md", "valves.md"]


def test_rows_are_golden_cases_marked_as_proposals_with_a_stable_id() -> None:
    rows = [draft.row() for draft in draft_offline([pumps(), valves()], limit=4, unanswerable=0.5)]
    golden = parse_golden("\n".join(map(json.dumps, rows)), name="g")
    assert golden.notices == ()
    assert {case.made_by for case in golden.cases} == {"draft"}
    assert [case.answerable for case in golden.cases].count(False) == 2
    assert rows == [draft.row() for draft in draft_offline([pumps(), valves()], limit=4, unanswerable=0.5)]


def test_a_models_questions_are_kept_only_with_a_quote_that_stands_in_the_text() -> None:
    reply = {
        "questions": [
            {"question": "How often is oil needed?", "quote": "every  MONTH", "answer": "monthly"},
            {"question": "Who made it?", "quote": "made by Acme", "answer": "Acme"},
            {"question": " ", "quote": "Clean it", "answer": ""},
            "nonsense",
        ]
    }
    asked: list[str] = []

    def complete(rules: str, request: str) -> str:
        asked.append(request)
        return "Here you are: " + json.dumps(reply)

    drafts = draft_with_model(pumps(), TEXT + "</text>", complete, made_by="draft:m")
    assert drafts == (Draft("How often is oil needed?", "pumps.md", "every  MONTH", "draft:m", "monthly"),)
    assert asked[0].count("</text>") == 1
    assert draft_with_model(pumps(), TEXT, lambda rules, request: "no", made_by="m") == ()


def test_an_object_is_read_out_of_prose() -> None:
    assert read_object('x {"a": {"b": 1}} y') == {"a": {"b": 1}}
    assert read_object("[1]") is None
