"""What the path of a rule means: a rule that fits nothing leaves documents open in silence."""

from __future__ import annotations

import unicodedata

import pytest

from ragcli.parse.path_rules import matches


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("hr!plan.md", "hr!plan.md"),
        ("a/hr!plan.md", "a/hr!plan.md"),
        (unicodedata.normalize("NFD", "büro/über.md"), "büro/über.md"),
        ("büro/**", unicodedata.normalize("NFD", "büro/x.md")),
        ("deep/board4", "deep/board4/a/b.md"),
        ("deep/board5/", "deep/board5/a.md"),
        ("./deep/board6/**", "deep/board6/a.md"),
        ("././deep//board6/", "deep/board6/a.md"),
        ("board7", "x/board7/y/z.md"),
        ("/deep", "deep/a.md"),
        ("**/board4", "deep/board4/a.md"),
        ("deep/*/", "deep/x/a.md"),
        ("report[1].md", "report[1].md"),
        ("what?.md", "what?.md"),
        ("*.md", "deep/a.md"),
        ("deep/**", "deep/a/b.md"),
        (" deep/** ", "deep/a.md"),
    ],
)
def test_what_a_path_means(rule: str, path: str) -> None:
    assert matches(rule, path)


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("deep/board4", "deep/board44/a.md"),
        ("deep/board4", "x/deep/board4/a.md"),
        ("deep/*", "deep/x/a.md"),
        ("/deep", "x/deep/a.md"),
        ("deep/a.md", "deep/a.md.md"),
        ("", "a.md"),
    ],
)
def test_what_it_does_not_mean(rule: str, path: str) -> None:
    assert not matches(rule, path)


def test_what_is_inside_a_container_is_met_by_its_own_name_as_well() -> None:
    inside = "x/all.zip!hr/pay.md"
    for rule in ("x/all.zip", "x/**", "**/pay.md", "pay.md", "x/all.zip/hr/**", "x/all.zip!hr/pay.md", "*.zip"):
        assert matches(rule, "x/all.zip", inside), rule
    assert not matches("hr/pay.md", "x/all.zip", inside)
    assert not matches("pay.md", "x/all.zip", "x/all.zip")
