"""Every form in which somebody may have said who may see a document closes it (``tests.attack access_forms``)."""

from __future__ import annotations

from tests.attack import access_forms


def test_no_form_leaves_a_document_open() -> None:
    outcome = access_forms.run(10_000, 1)
    assert outcome.tries >= 400
    assert outcome.failures == []
