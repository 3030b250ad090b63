"""Nothing that is closed shows in what any command prints; 5,000 cases: ``python -m tests.attack access_leaks``."""

from __future__ import annotations

from tests.attack import access_leaks


def test_nothing_closed_shows() -> None:
    assert access_leaks.run(80, 1).failures == []


def test_what_shows_is_found() -> None:
    """The attack itself sees an index whose closed documents were opened behind its back."""
    with access_leaks.corpus(7) as made:
        opened = next(item for item in made.documents if item.acl == ("hr",))
        wrong = access_leaks.here("search", opened.canaries[0], "--as", "hr", cwd=made.folder)
        right = access_leaks.here("search", opened.canaries[0], cwd=made.twin([]))
        assert "exit 0, 4 without" in str(access_leaks._differs(wrong, right, "rag search"))
