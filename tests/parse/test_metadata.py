from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from ragcli.config import PathRule
from ragcli.parse.metadata import describe, to_date
from tests.parse.builders import parse_one


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("2026-03-01", "2026-03-01"),
        ("2026/3/1", "2026-03-01"),
        ("2026-03-01T10:00:00Z", "2026-03-01"),
        ("20260301", "2026-03-01"),
        ("1.3.2026", "2026-03-01"),
        ("1 March 2026", "2026-03-01"),
        ("Mar 1, 2026", "2026-03-01"),
        (datetime.date(2026, 3, 1), "2026-03-01"),
        ("2026-02-30", None),
        ("01/02/2026", None),
        ("soon", None),
    ],
)
def test_dates(written: object, iso: str | None) -> None:
    assert to_date(written) == iso


def test_rules_go_over_front_matter_and_the_command_line_over_rules() -> None:
    document = parse_one("hr/a.md", b"---\nstatus: draft\ntype: memo\ntags: [x]\nacl: all\n---\ntext\n")
    rules = (
        PathRule("hr/**", {"status": "final", "acl": ["hr"], "Product Line": "X200"}),
        PathRule("it/**", {"status": "never"}),
    )
    described, warnings = describe(document, rules, {"type": "policy", "expires": "nope"}, ("boss",), "hr/a.md")
    assert described.metadata == replace(
        document.metadata, status="final", type="policy", acl=("boss",), extra={"product_line": "X200"}
    )
    assert described.metadata.tags == ("x",)
    assert warnings == ("--meta: expires is 'nope', not a date (YYYY-MM-DD)",)
