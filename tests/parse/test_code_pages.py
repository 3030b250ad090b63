"""Short texts in code pages that nothing names: how many are read as they were written, and how many wrongly unsaid."""

from __future__ import annotations

import pytest

from ragcli.parse.decode import decode
from tests.attack.code_pages import run, snippets, tried


def test_hardly_any_short_text_is_read_wrongly_without_a_word() -> None:
    outcome = run(600, seed=1)
    assert outcome.tries > 580
    assert len(outcome.failures) <= 0.015 * outcome.tries, outcome.failures


def test_nearly_all_are_read_as_they_were_written() -> None:
    results = [tried(snippet)[0] for snippet in snippets(600, seed=2)]
    assert sum(results) >= 0.955 * len(results)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("กุญแจคลังสินค้าอยู่ที่ยามรักษาการณ์ การประชุมเริ่มวันจันทร์", "tis-620"),
        ("Çıkarken ışığı söndürünüz, kapıyı kilitleyiniz.", "iso8859-9"),
        ("审计压缩包文件检索.txt", "gb18030"),
        ("價目表.xls", "big5"),
        ("계약서.hwp", "cp949"),
        ("Schlüssel hängt beim Pförtner, Büro im Erdgeschoß.", "mac-roman"),
    ],
)
def test_code_pages_that_look_like_others(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_a_guess_that_is_not_sure_names_its_rival() -> None:
    unsure = [found for snippet in snippets(200, seed=1) if (found := tried(snippet)[1]).rival]
    assert unsure and all(found.guessed and found.rival in found.warnings[0] for found in unsure)
    assert not decode("größer".encode()).warnings


def test_plain_lines_do_not_hide_the_few_that_tell() -> None:
    text = "plain line\n" * 5000 + "Die Gebühr beträgt fünf Euro, größere Beträge kosten mehr.\n"
    assert decode(text.encode("cp1252")).text == text
