"""How a sentence of a document is printed."""

from __future__ import annotations

import pytest

from ragcli.answer.extract.plain import strip_markup


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (r"Use \* and \_ for any.", "Use * and _ for any."),
        ('See [the guide](https://a.example/c_(d).html "T") for more.', "See the guide for more."),
        ("See [the guide][1] and [[anchor]]the end.", "See the guide and the end."),
        ("It ends in [a link](https://a.exam", "It ends in a link"),
        ("It ends in [a link", "It ends in a link"),
        ("- **Bold**, `a_b*c` and <b>x</b> for <name>.", "Bold, a_b*c and x for <name>."),
        ('<dl>\n<dt>How?</dt><dd class="x">So.</dd>', "How? So."),
        ("Write `<dl>` and `` a`b ``.", "Write <dl> and a`b."),
        ("Fish&nbsp;&amp; chips &lt;hot&gt;", "Fish & chips <hot>"),
        ("> quoted\n> twice", "quoted twice"),
        ("<!-- hidden --> shown", "shown"),
        ("2 * 3 * 4 and snake_case_name", "2 * 3 * 4 and snake_case_name"),
        ("What is `user.name`?::", "What is user.name?"),
        ("if a < b and c > d", "if a < b and c > d"),
    ],
)
def test_text_as_it_is_read(text: str, read: str) -> None:
    assert strip_markup(text) == read
