"""How a sentence of a document is printed."""

from __future__ import annotations

import pytest

from ragcli.answer.extract.plain import as_read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (r"Use \* and \_ for any.", "Use * and _ for any."),
        ('See [the guide](https://a.example/c_(d).html "T") for more.', "See the guide for more."),
        ("See [the guide][1] and [[Notes/Team|the team]] of [[Acme]].", "See the guide and the team of Acme."),
        ("if [[ -f x ]]; then", "if [[ -f x ]]; then"),
        ("> [!warning]- Mind the gap", "Mind the gap"),
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
    assert as_read(text, "text/markdown") == read


@pytest.mark.parametrize(
    ("media_type", "text", "read"),
    [
        ("text/x-code-py", "def f(*args, _NEAREST=None):\n    return `x`", "def f(*args, _NEAREST=None): return `x`"),
        ("text/x-code-sh", "if [[ -f a ]]; then", "if [[ -f a ]]; then"),
        ("text/plain", "- Use *args and [[x]] or <b>.", "Use *args and [[x]] or <b>."),
        ("text/html", "Call _NEAREST with *args & `x`.", "Call _NEAREST with *args & `x`."),
        ("application/pdf", "2) a_b* [c](d)", "2) a_b* [c](d)"),
        ("text/asciidoc", "[[anchor]]See <<top,the *top*>> and link:a.html[the page].", "See the top and the page."),
        ("text/asciidoc", "[source,java]\nUse `*p` here.", "Use *p here."),
        (
            "text/x-rst",
            "Use ``*args`` and :func:`~os.walk` of `the docs <https://a.example>`_::",
            "Use *args and os.walk of the docs:",
        ),
        ("text/x-rst", ".. code-block:: python", ""),
        ("text/x-rst", ".. _target:\n\nThe **rule** holds.", "The rule holds."),
        ("text/org", "See [[https://a.example][the page]] and =*x*=.", "See the page and *x*."),
    ],
)
def test_markup_is_what_the_format_says(media_type: str, text: str, read: str) -> None:
    assert as_read(text, media_type) == read
