from __future__ import annotations

import pytest

from ragcli.parse.decode import decode

GERMAN = "Die Gebühr für den Überweisungsauftrag beträgt fünf Euro, größere Beträge kosten mehr. „Schön“, sagte er."
POLISH = "Zażółć gęślą jaźń. Opłata za przelew wynosi pięć złotych, większe kwoty są droższe."
RUSSIAN = "Плата за перевод составляет пять рублей, большие суммы стоят дороже."
JAPANESE = "送金手数料は五ユーロです。より大きな金額はさらに費用がかかります。東京の会社で働いています。"
CHINESE = "转账费用为五欧元,更大的金额费用更高。我们在北京的公司工作。"
TAIWANESE = "轉帳費用為五歐元,更大的金額費用更高。我們在臺北的公司工作。"
SPANISH = "¿Cuánto cuesta una transferencia? El año pasado costaba cinco euros; la señora pagó más."
GREEK = "Το κόστος της μεταφοράς είναι πέντε ευρώ, τα μεγαλύτερα ποσά κοστίζουν περισσότερο."
HINDI = "स्थानांतरण शुल्क पाँच यूरो है।\nबड़ी राशि की लागत अधिक होती है।"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "utf-8"),
        (GERMAN, "utf-8-sig"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"),
        (GERMAN, "utf-32"),
        (GERMAN, "utf-32-le"),
        (GERMAN, "cp1252"),
        (SPANISH, "cp1252"),
        (POLISH, "cp1250"),
        (POLISH, "utf-16-le"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "cp866"),
        (GREEK, "cp1253"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        (JAPANESE, "utf-16-be"),
        (CHINESE, "gb18030"),
        (CHINESE, "utf-16-le"),
        (TAIWANESE, "big5"),
        (HINDI, "utf-16-be"),
    ],
)
def test_every_character_comes_back(text: str, encoding: str) -> None:
    found = decode(text.encode(encoding))
    assert found.text == text, found.encoding
    assert found.replaced == 0


def test_a_declaration_is_believed_when_it_fits() -> None:
    assert decode("pâte".encode("cp1252"), "windows-1252").text == "pâte"
    assert decode("naïve — ok".encode(), "iso-8859-1").encoding == "utf-8"
    assert decode("größer".encode("cp1252"), "no-such-encoding").text == "größer"


def test_a_few_broken_bytes_in_utf8_are_counted() -> None:
    found = decode(b"caf\xc3\xa9 \xff \xc3\xbc\xc3\xb6 and more")
    assert (found.text, found.encoding, found.replaced) == ("café \ufffd üö and more", "utf-8", 1)
    assert "1 bytes" in found.warnings[0]


def test_nothing_at_all() -> None:
    assert decode(b"").text == ""
