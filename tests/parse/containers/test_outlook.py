from __future__ import annotations

from pathlib import Path

import pytest
from oxmsg.properties import Properties

from tests.parse.builders import parse_bytes, parse_one


def test_strings_of_no_named_code_page_stand_in_that_of_the_body(shared_data: Path) -> None:
    document = parse_one("m.msg", (shared_data / "hard/email/testMSG_chinese.msg").read_bytes())
    assert document.title == "Alfresco MSG format testing ( MSG 格式測試 )"
    assert "To: Tests Chang@FT (張毓倫) <tests.chang@fengttt.com>\n" in document.text
    assert "豐泰產業工會常務理事 陳亮宏" in document.text


def test_encoded_words_are_spelled_out_and_nobody_is_no_recipient(shared_data: Path) -> None:
    document = parse_one("m.msg", (shared_data / "hard/email/test_outlook_msg.msg").read_bytes())
    assert "From: M. C. Kurtuluş <muratcan.kurtulus@gmail.com>\n" in document.text
    assert "\nTo: test.recipient@example.com <test.recipient@example.com>\n" in document.text


def test_a_code_page_that_is_not_known_is_named(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = (shared_data / "hard/email/testMSG_chinese.msg").read_bytes()
    monkeypatch.setattr(Properties, "int_prop_value", lambda _, pid: 12345 if pid == 0x3FDE else None)
    documents, reports = parse_bytes("m.msg", data)
    assert documents == []
    assert reports[-1].skipped == "an Outlook message in a code page that is not known"
