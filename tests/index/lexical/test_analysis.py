from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.index.lexical.analysis import MAX_TERM, base_language, query_terms, terms


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("The refunds were refunded", "en", ["the", "refund", "were", "refund"]),
        ("Häuser und Straßen", "de", ["haus", "und", "strass"]),
        ("naïve café", "xx", ["naive", "cafe"]),
        ("ΑΘΗΝΑ", "xx", ["αθηνα"]),
        ("ﬁnance ＡＢＣ", "xx", ["finance", "abc"]),
        ("Ёлка йод", "xx", ["елка", "йод"]),
        ("İstanbul ışık", "xx", ["istanbul", "isik"]),
        ("soft\u00adware zero\u200bwidth", "xx", ["software", "zero", "width"]),
        ("مُحَمَّد كتـاب", "xx", ["محمد", "كتاب"]),
        ("हिन्दी में", "xx", ["हिन्दी", "में"]),
        ("東京都", "ja", ["東", "京", "都", "東京", "京都"]),
        ("한국 API", "ko", ["한", "국", "한국", "api"]),
        ("ไทย", "th", ["ไ", "ท", "ย", "ไท", "ทย"]),
        ("東京tower", "xx", ["東", "京", "東京", "tower"]),
        ("the dog's don't l'homme", "xx", ["the", "dog", "dont", "don", "t", "homme"]),
        ("C++ C# F# .NET", "xx", ["c++", "c", "c#", "c", "f#", "f", "net"]),
        ("1,000,000 3.14", "xx", ["1,000,000", "1000000", "3.14", "314", "3", "14"]),
        ("", "en", []),
        ("!?… —", "en", []),
    ],
)
def test_terms(text: str, language: str, expected: list[str]) -> None:
    assert terms(text, language) == expected


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("Error E-4012 means", "E-4012"),
        ("Error E-4012 means", "e4012"),
        ("Error E-4012 means", "4012"),
        ("the X200-B pump", "X200"),
        ("the X200-B pump", "x200b"),
        ("call snake_case_name now", "snake_case_name"),
        ("call snake_case_name now", "snake"),
        ("call getUserName now", "getUserName"),
        ("call getUserName now", "user"),
        ("since v1.2.3 only", "1.2.3"),
        ("since v1.2.3 only", "v1.2.3"),
        ("see src/app/main.py", "src/app/main.py"),
        ("see src/app/main.py", "main.py"),
        ("see C:\\Users\\me", "users"),
        ("write to a.b@example.com", "a.b@example.com"),
        ("the e-mail", "email"),
        ("the email", "e-mail"),
        ("un café", "cafe"),
        ("un cafe", "café"),
        ("covid19", "covid"),
    ],
)
@pytest.mark.parametrize("language", ["en", "fr", "xx"])
def test_identifiers_and_spellings_find_each_other(stored: str, asked: str, language: str) -> None:
    assert set(terms(stored, language)) & set(query_terms(asked, [language]))


def test_whole_identifier_is_told_from_its_neighbours() -> None:
    assert "e-4012" in terms("E-4012", "en")
    assert "e-4012" not in terms("E-4013 and 4012", "en")


def test_query_has_the_stems_of_every_language_once() -> None:
    found = query_terms("Versicherungen policies", ["de", "en"])
    assert set(terms("Versicherungen", "de")) | set(terms("policies", "en")) <= set(found)
    assert query_terms("policy policy policy", ["en", "de"])["polici"] == 3
    assert query_terms("cats", []) == {"cat": 1}


def test_language_codes() -> None:
    assert [base_language(code) for code in ("de-AT", "pt_BR", " EN ", None, "", "zh-Hans")] == [
        "de", "pt", "en", "en", "en", "zh",
    ]  # fmt: skip


@given(st.text(), st.sampled_from(["en", "de", "ja", "hi", "xx", None]))
def test_any_text_gives_clean_terms_the_same_way_every_time(text: str, language: str | None) -> None:
    found = terms(text, language)
    assert found == terms(text, language)
    for term in found:
        assert 0 < len(term) <= MAX_TERM
        assert not any(character.isspace() for character in term)
        term.encode()


@given(st.text(alphabet=st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x17F), min_size=1, max_size=30))
def test_a_word_is_found_by_itself_in_either_case(word: str) -> None:
    found = set(terms(f"before {word} after", "en"))
    for spelling in (word, word.lower()):
        assert found & set(query_terms(spelling, ["en"]))
