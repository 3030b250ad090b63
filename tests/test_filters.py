from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.errors import ConfigError, ExitCode
from ragcli.filters import OPERATORS, condition, parse_filter
from ragcli.records import Filter


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lang=de", Filter("lang", "=", "de")),
        ("date>=2026-01-01", Filter("date", ">=", "2026-01-01")),
        ("source~hr/**", Filter("source", "~", "hr/**")),
        ("type=policy", Filter("type", "=", "policy")),
        ("meta.product=X200", Filter("meta.product", "=", "X200")),
        ("  LANG  !=  de  ", Filter("lang", "!=", "de")),
        ("meta.Product Name<=9", Filter("meta.Product Name", "<=", "9")),
        ("title=a=b", Filter("title", "=", "a=b")),
        ('meta.sign="<="', Filter("meta.sign", "=", "<=")),
        ('title=" padded "', Filter("title", "=", " padded ")),
        ("unheard_of>1", Filter("unheard_of", ">", "1")),  # the engine knows the keys
        ("date=2026", Filter("date", "=", "2026")),
        ("modified<2026-03", Filter("modified", "<", "2026-03")),
        ("date~2026-*-01", Filter("date", "~", "2026-*-01")),
    ],
)
def test_expressions(text: str, expected: Filter) -> None:
    assert parse_filter(text) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "has no operator"),
        ("lang", "has no operator"),
        ("=de", "has no usable key before '='"),
        ("la ng=de", "has the malformed key 'la ng'"),
        ("meta.=x", "has the malformed key 'meta.'"),
        ("lang==de", "has the unknown operator '=='"),
        ("date=>2026-01-01", "has the unknown operator '=>'"),
        ("lang=", "has no value"),
        ('lang=""', "has no value"),
        ("date>=2026-13-01", "has the bad date '2026-13-01', expected YYYY-MM-DD"),
        ("date>=01.02.2026", "has the bad date '01.02.2026'"),
        ("expires<20260101", "has the bad date"),
        ("source~[", "has a [ in its glob that no ] closes"),
        ("source~hr/[]x*", "has a [ in its glob that no ] closes"),
        ("lang<de", "asks for an order of lang, which is text"),
        ("language<de", "asks for an order of language, which is text"),
        ("date=202", "has the bad date '202'"),
    ],
)
def test_problems_are_named(text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_filter(text)
    assert f"filter {text!r} {problem}" in caught.value.message
    assert caught.value.exit_code is ExitCode.USAGE and "KEY OP VALUE" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "allowed", "refused"),
    [
        ("date=2026", ["2026-01-01", "2026-12-31"], ["2025-12-31", "2027-01-01"]),
        ("date=2026-02", ["2026-02-01", "2026-02-29"], ["2026-01-31", "2026-03-01"]),
        ("date<2026", ["2025-12-31"], ["2026-01-01"]),
        ("date<=2026", ["2026-12-31"], ["2027-01-01"]),
        ("date>2026-02", ["2026-03-01"], ["2026-02-28"]),
        ("expires>=2026-02-03", ["2026-02-03"], ["2026-02-02"]),
        ("date~2026-*-01", ["2026-02-01"], ["2026-02-02", "2025-02-01"]),
        ("lang=de", ["de", "DE-at"], ["den", "en"]),
        ("tags=Draft", ["draft"], ["drafts"]),
        ("title=Draft", ["Draft"], ["draft", "Drafts"]),
        ("meta.size>9", ["10", "9.5"], ["9", "1"]),
        ("source~hr/**/*.md", ["hr/a.md", "hr/b/c.md"], ["hr/a.txt", "it/hr/a.md"]),
    ],
)
def test_the_values_let_through(text: str, allowed: list[str], refused: list[str]) -> None:
    asked = condition(parse_filter(text))
    assert [value for value in (*allowed, *refused) if asked.allows(value)] == allowed


def test_what_is_left_out_is_what_equals() -> None:
    assert condition(parse_filter("date!=2026")).excludes and condition(parse_filter("date!=2026")).allows("2026-05-01")


KEYS = st.sampled_from(["type", "source", "meta.product", "meta.a b"])
VALUES = st.text(min_size=1).filter(lambda text: text.strip() == text and text[0] not in '=!<>~"')


@given(KEYS, st.sampled_from(["=", "!=", "~"]), VALUES)
def test_a_filter_reads_back_from_its_text(key: str, operator: str, value: str) -> None:
    parsed = parse_filter(f"{key}{operator}{value}")
    assert (parsed.key, parsed.operator, parsed.value) == (key, operator, value)
    assert parse_filter(str(parsed)) == parsed


@given(st.text())
def test_any_text_is_a_filter_or_a_config_error(text: str) -> None:
    try:
        parsed = parse_filter(text)
    except ConfigError:
        return
    assert parsed.operator in OPERATORS and parsed.key and parsed.value
