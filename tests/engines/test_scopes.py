"""What a scope shows: filters with every operator, access groups, dates, status and successors; over every store."""

from __future__ import annotations

import pytest

from ragcli.errors import ConfigError
from ragcli.interfaces import Engine, Store
from ragcli.records import Filter, Scope
from tests.engines.stores import STORES, opened, seen
from tests.index.corpus import publish_to
from tests.index.records import document


@pytest.fixture(scope="module")
def shelf(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return opened(
        STORES[kind](tmp_path_factory.mktemp("shelf")),
        document("hr/a.md", language="en", type="policy", tags=("x", "y"), effective_date="2025-03-01", title="Remote"),
        document("hr/deep/b.md", language="de-AT", type="Policy", status="final", modified="2026-02-10"),
        document("it/c.md", also_in=("hr/copy.md",), extra={"product": "X200", "size": "9"}, expires="2999-01-01"),
        document("d.md", extra={"product": "X300", "size": "10"}, tags=("y",)),
    )


def test_titles_are_found_letter_for_letter_in_what_may_be_seen(
    kind: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    engine = opened(
        STORES[kind](tmp_path_factory.mktemp("titles")),
        document("a.md", title="Remote"),
        document("b.md", title="Remote", acl=("hr",)),
        document("c.md", title="remote"),
        document("d.md", title="Remote", expires="2020-01-01"),
    )
    assert engine.titled(["Remote", "Nowhere"], engine.allowed(Scope())) == ["a.md"]
    assert engine.titled(["Remote"], engine.allowed(Scope(groups=("hr",)))) == ["a.md", "b.md"]
    assert engine.titled(["remote"], engine.allowed(Scope(groups=("hr",)))) == ["c.md"]
    assert engine.titled([], engine.allowed(Scope())) == []


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ([], ["d.md", "hr/a.md", "hr/deep/b.md", "it/c.md"]),
        (["lang = en"], ["hr/a.md"]),
        (["language = DE"], ["hr/deep/b.md"]),
        (["lang = de-at"], ["hr/deep/b.md"]),
        (["lang != en"], ["d.md", "hr/deep/b.md", "it/c.md"]),
        (["type = policy"], ["hr/a.md", "hr/deep/b.md"]),
        (["tag = y"], ["d.md", "hr/a.md"]),
        (["tags = x", "tag = y"], ["hr/a.md"]),
        (["tag != x"], ["d.md", "hr/deep/b.md", "it/c.md"]),
        (["source ~ hr/**"], ["hr/a.md", "hr/deep/b.md", "it/c.md"]),
        (["source ~ hr/*"], ["hr/a.md", "it/c.md"]),
        (["source ~ *.md"], ["d.md"]),
        (["source ~ **/b.md"], ["hr/deep/b.md"]),
        (["source ~ **/[!b].md"], ["d.md", "hr/a.md", "it/c.md"]),
        (["source = hr/copy.md"], ["it/c.md"]),
        (["doc_id = it/c.md"], ["it/c.md"]),
        (["title = Remote"], ["hr/a.md"]),
        (["title ~ Rem*"], ["hr/a.md"]),
        (["status = final"], ["hr/deep/b.md"]),
        (["meta.product = X200"], ["it/c.md"]),
        (["meta.product ~ X?00"], ["d.md", "it/c.md"]),
        (["meta.size > 9"], ["d.md"]),
        (["meta.size >= 9"], ["d.md", "it/c.md"]),
        (["meta.size < 9.5"], ["it/c.md"]),
        (["date >= 2025-03-01"], ["hr/a.md", "hr/deep/b.md"]),
        (["date > 2025-03-01"], ["hr/deep/b.md"]),
        (["date <= 2025-03-01"], ["hr/a.md"]),
        (["date < 2025-03-01"], []),
        (["date = 2026"], ["hr/deep/b.md"]),
        (["date = 2026-02"], ["hr/deep/b.md"]),
        (["date > 2025"], ["hr/deep/b.md"]),
        (["date <= 2025"], ["hr/a.md"]),
        (["effective_date = 2025-03-01"], ["hr/a.md"]),
        (["date ~ 2025-*"], ["hr/a.md"]),
        (["date ~ ????-02-??"], ["hr/deep/b.md"]),
        (["modified != 2026"], ["d.md", "hr/a.md", "it/c.md"]),
        (["expires > 2900"], ["it/c.md"]),
        (["lang = fr"], []),
    ],
)
def test_filters_let_through_what_they_say(shelf: Engine, filters: list[str], expected: list[str]) -> None:
    assert seen(shelf, *filters) == expected


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("colour = red", "unknown filter key 'colour'", "source, doc_id, lang"),
        ("meta.colour = red", "unknown filter key 'meta.colour'", "meta.product, meta.size"),
        ("date > yesterday", "bad date 'yesterday'", "KEY OP VALUE"),
        ("modified = 2025-13-01", "bad date '2025-13-01'", "date>=2026-01-01"),
        ("expires = 2025-02-30", "bad date", "date>=2026-01-01"),
    ],
)
def test_filters_that_cannot_be_used_are_errors(shelf: Engine, text: str, message: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        seen(shelf, text)
    assert hint in caught.value.hint


def test_bad_as_of_is_an_error(shelf: Engine) -> None:
    with pytest.raises(ConfigError, match="bad date 'soon'"):
        seen(shelf, as_of="soon")


def test_groups_open_what_names_them(store: Store) -> None:
    engine = opened(store, document("open.md"), document("hr.md", acl=("hr",)), document("both.md", acl=("hr", "it")))
    assert seen(engine) == ["open.md"]
    assert seen(engine, groups=("it",)) == ["both.md", "open.md"]
    assert seen(engine, groups=("hr", "x")) == ["both.md", "hr.md", "open.md"]
    with pytest.raises(ConfigError):
        seen(engine, "meta.secret = 1")


def test_default_acl_closes_what_names_no_group(store: Store) -> None:
    engine = opened(store, document("plain.md"), document("hr.md", acl=("hr",)), default_acl=("staff",))
    assert seen(engine) == []
    assert seen(engine, groups=("staff",)) == ["plain.md"]
    assert seen(engine, groups=("hr",)) == ["hr.md"]


def test_metadata_names_of_forbidden_documents_are_not_known(store: Store) -> None:
    engine = opened(store, document("a.md", extra={"open": "1"}), document("b.md", acl=("hr",), extra={"hidden": "1"}))
    with pytest.raises(ConfigError) as caught:
        seen(engine, "meta.hidden = 1")
    assert "meta.open" in caught.value.hint
    assert "meta.hidden" not in caught.value.hint
    assert seen(engine, "meta.hidden = 1", groups=("hr",)) == ["b.md"]


def test_dates_decide_what_is_current(store: Store) -> None:
    engine = opened(
        store,
        document("old.md", effective_date="2024-01-01", expires="2024-12-31"),
        document("now.md", effective_date="2025-01-01"),
        document("next.md", effective_date="2027-01-01"),
    )
    assert seen(engine, as_of="2024-12-31") == ["old.md"]
    assert seen(engine, as_of="2025-01-01") == ["now.md"]
    assert seen(engine, as_of="2027-01-01") == ["next.md", "now.md"]
    assert seen(engine, as_of="2025-06-01", include_superseded=True) == ["next.md", "now.md", "old.md"]
    assert engine.allowed(Scope(as_of="2025-06-01")).superseded_hidden == 2
    assert engine.allowed(Scope(as_of="2025-06-01", include_superseded=True)).superseded_hidden == 0


@pytest.mark.parametrize(
    "name", ["hr/policy-2024.md", "policy-2024.md", "policy-2024", "./policy-2024.md", "hr/policy-2024"]
)
def test_superseded_document_gives_way_from_the_date_of_its_successor(store: Store, name: str) -> None:
    engine = opened(
        store,
        document("hr/policy-2024.md", effective_date="2024-01-01", status="superseded"),
        document("hr/policy-2025.md", effective_date="2025-01-01", supersedes=(name,)),
    )
    assert seen(engine, as_of="2024-06-01") == ["hr/policy-2024.md"]
    assert seen(engine, as_of="2025-06-01") == ["hr/policy-2025.md"]
    assert engine.allowed(Scope(as_of="2025-06-01")).superseded_hidden == 1


def test_chain_of_successors_leaves_the_last(store: Store) -> None:
    engine = opened(
        store,
        document("v1.md", effective_date="2023-01-01"),
        document("v2.md", effective_date="2024-01-01", supersedes=("v1.md",)),
        document("v3.md", effective_date="2025-01-01", supersedes=("v2.md",)),
    )
    assert seen(engine, as_of="2023-06-01") == ["v1.md"]
    assert seen(engine, as_of="2024-06-01") == ["v2.md"]
    assert seen(engine, as_of="2026-01-01") == ["v3.md"]


def test_forbidden_successor_changes_nothing(store: Store) -> None:
    engine = opened(store, document("a.md"), document("b.md", supersedes=("a.md",), acl=("board",)))
    assert seen(engine) == ["a.md"]
    assert engine.allowed(Scope()).superseded_hidden == 0
    assert seen(engine, groups=("board",)) == ["b.md"]
    assert engine.allowed(Scope(groups=("board",))).superseded_hidden == 1


def test_successor_outside_the_filters_still_supersedes(store: Store) -> None:
    engine = opened(store, document("x/a.md"), document("y/b.md", supersedes=("x/a.md",)))
    assert seen(engine, "source ~ x/**") == []
    assert engine.allowed(Scope(filters=(Filter("source", "~", "x/**"),))).superseded_hidden == 1
    assert engine.allowed(Scope(filters=(Filter("source", "~", "y/**"),))).superseded_hidden == 0


def test_suffix_must_be_unique_among_what_the_asker_sees(store: Store) -> None:
    engine = opened(
        store,
        document("x/old.md"),
        document("y/old.md", acl=("hr",)),
        document("z/new.md", supersedes=("old.md",)),
    )
    assert seen(engine) == ["z/new.md"]
    assert seen(engine, groups=("hr",)) == ["x/old.md", "y/old.md", "z/new.md"]


@pytest.mark.parametrize("status", ["superseded", "Draft", "withdrawn", " obsolete "])
def test_status_alone_hides(store: Store, status: str) -> None:
    engine = opened(store, document("a.md", status=status), document("b.md", status="final"))
    assert seen(engine) == ["b.md"]
    assert seen(engine, include_superseded=True) == ["a.md", "b.md"]


def test_naming_oneself_or_nobody_hides_nothing(store: Store) -> None:
    engine = opened(store, document("a.md", supersedes=("a.md", "gone.md", "", "/")))
    assert seen(engine) == ["a.md"]


@pytest.mark.parametrize(
    ("dates", "expected"),
    [((None, None), ["a.md", "b.md"]), (("2024-01-01", "2025-01-01"), ["b.md"]), (("2025-01-01", None), ["a.md"])],
)
def test_of_two_that_name_each_other_the_later_stays(
    store: Store, dates: tuple[str | None, str | None], expected: list[str]
) -> None:
    engine = opened(
        store,
        document("a.md", supersedes=("b.md",), effective_date=dates[0]),
        document("b.md", supersedes=("a.md",), effective_date=dates[1]),
    )
    assert seen(engine, as_of="2026-01-01") == expected


def test_removed_successor_gives_the_place_back(store: Store) -> None:
    publish_to(store, [document("a.md"), document("b.md", supersedes=("a.md",))])
    publish_to(store, [document("a.md")])
    assert seen(store.open()) == ["a.md"]


def test_a_date_written_in_a_document_counts_before_that_of_its_file(store: Store) -> None:
    engine = opened(
        store,
        document("written.md", extra={"date": "2019-05-01"}, modified="2026-07-01"),
        document("effective.md", extra={"date": "2019-05-01"}, effective_date="2021-01-01", modified="2026-07-01"),
        document("timed.md", extra={"date": "2018-02-03T10:00:00+02:00"}, modified="2026-07-01"),
        document("odd.md", extra={"date": "last spring"}, modified="2026-07-01"),
        document("never.md", extra={"date": "2019-13-45"}, modified="2026-07-01"),
    )
    assert seen(engine, "date < 2020-01-01") == ["timed.md", "written.md"]
    assert seen(engine, "date = 2018-02-03") == ["timed.md"]
    assert seen(engine, "date = 2021") == ["effective.md"]
    assert seen(engine, "date = 2026") == ["never.md", "odd.md"]
    assert seen(engine, "meta.date = 2019-05-01") == ["effective.md", "written.md"]


@pytest.mark.parametrize("operator", ["=", "~", "!="])
def test_names_that_are_no_valid_text_can_be_asked_for(store: Store, operator: str) -> None:
    engine = opened(store, document("\udce4.md"), document("a.md"))
    expected = ["a.md"] if operator == "!=" else ["\udce4.md"]
    assert seen(engine, f"source {operator} \udce4.md") == expected
    assert seen(engine, "source = \ud800x") == []
