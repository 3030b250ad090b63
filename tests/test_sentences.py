"""Sentence boundaries: each language's terminators, what only looks like an end, and spans that lose nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.language.sentences import sentence_spans

CASES = {
    "abbreviations": ("en", ["Dr. Smith met J. R. Tolkien at 5 p.m. yesterday.", "He left."]),
    "decimals": ("en", ["It costs 3.50 dollars, i.e. 5.5% more.", "See sec. 2.1 of v1.2.3.", "Done?!", "Yes..."]),
    "codes": ("en", ["Error E-4012.", "Use foo.bar() on example.com.", "Then stop."]),
    "numbers": ("en", ["No. 5 is alive.", "Mr. Dursley, of No. 4, left."]),
    "quotes": ("en", ['He said "Stop."', "Then he left."]),
    "brackets": ("en", ["It works (see Fig. 3).", "Good."]),
    "german": ("de", ["Am 3. Mai 2020 kam z.B. Dr. Müller.", "Er blieb bis zum 5. Oktober.", "Danach gilt Abs. 2."]),
    "spanish": ("es", ["¿Qué es esto?", "El Sr. García vive en EE.UU. desde 1990.", "¡Hola!"]),
    "russian": ("ru", ["В 2010 г. он уехал.", "Это г. Москва."]),
    "japanese": ("ja", ["これは文です。", "「はい。」と言った。", "本当ですか？", "いいえ！", "長さは3.5メートル。"]),
    "japanese quotes": ("ja", ["彼は『嘘だ！』と叫んだ。", "終わり。"]),
    "chinese": ("zh-CN", ["他说：“你好。”", "然后走了。", "价格是3.5元。", "真的吗？！", "是的！"]),
    "hindi": ("hi", ["यह एक वाक्य है।", "दूसरा वाक्य।", "क्या?", "हाँ।"]),
    "arabic": ("ar", ["هذه جملة.", "هل هذا صحيح؟", "نعم، بالتأكيد."]),
    "urdu": ("ur", ["یہ ایک جملہ ہے۔", "دوسرا جملہ۔"]),
}


def sentences(text: str, language: str | None = None) -> list[str]:
    return [span.of(text) for span in sentence_spans(text, language)]


@pytest.mark.parametrize("name", sorted(CASES))
def test_each_language_is_cut_at_its_own_ends(name: str) -> None:
    language, expected = CASES[name]
    glue = "" if language in {"ja", "zh-CN"} else " "
    assert sentences(glue.join(expected), language) == expected


def test_without_a_language_the_terminators_of_every_script_count() -> None:
    text = "これは文です。次の文。 यह एक वाक्य है। दूसरा वाक्य। هل هذا صحيح؟ نعم. Yes. No more."
    assert sentences(text) == [
        "これは文です。",
        "次の文。",
        "यह एक वाक्य है।",
        "दूसरा वाक्य।",
        "هل هذا صحيح؟",
        "نعم.",
        "Yes.",
        "No more.",
    ]


def test_a_list_marker_stays_with_its_item() -> None:
    assert sentences("1. Open the app. 2. Press Save.") == ["1. Open the app.", "2. Press Save."]
    assert sentences("Steps:\n1. Open it.\n2. Close it. Wait.\n- last") == [
        "Steps:",
        "1. Open it.",
        "2. Close it.",
        "Wait.",
        "- last",
    ]


def test_a_wrapped_line_goes_on_and_a_blank_line_ends() -> None:
    assert sentences("A refund takes\nfive days. It is\nsafe\n\nNew paragraph") == [
        "A refund takes\nfive days.",
        "It is\nsafe",
        "New paragraph",
    ]


def test_rows_and_headings_are_sentences_of_their_own() -> None:
    text = "| Code | Meaning |\n|---|---|\n| E-1 | Broken. Call us. |\nAfter it\n## Next\nText"
    assert sentences(text) == [
        "| Code | Meaning |",
        "|---|---|",
        "| E-1 | Broken. Call us. |",
        "After it",
        "## Next",
        "Text",
    ]


def test_thai_is_cut_at_spaces_into_pieces_that_are_not_tiny() -> None:
    first = "พนักงานสามารถทำงานจากที่บ้านได้สองวันต่อสัปดาห์"
    second = "การทำงานจากต่างประเทศต้องได้รับอนุมัติจากหัวหน้างาน"
    assert sentences(f"{first} {second}", "th") == [first, second]
    assert sentences("ไป มา", "th") == ["ไป มา"]


def test_nothing_gives_nothing() -> None:
    assert sentence_spans("") == []
    assert sentence_spans(" \n\t ") == []


def test_a_lone_surrogate_is_a_character_like_any_other() -> None:
    text = "Bad \ud800 byte. Next."
    assert sentences(text) == ["Bad \ud800 byte.", "Next."]


VISIBLE = 'One two¦. ¦? ¦!¦。¦「¦」¦と¦।¦؟¦- ¦1. ¦a) ¦| x |¦#¦ ¦"¦”¦)¦(¦é¦𝔘¦😀¦e.g.¦3.5¦ไทย ¦...'
PIECES = st.sampled_from([*VISIBLE.split("¦"), "\n", "\n\n", "\r", "\x0b", "\u2028", "\ufeff", "\x00", "\u200d"])


@given(
    st.one_of(st.lists(PIECES, max_size=40).map("".join), st.text(max_size=200)), st.sampled_from(["en", "ja", "xx"])
)
def test_spans_are_in_order_trimmed_and_lose_nothing(text: str, language: str) -> None:
    position = 0
    for span in sentence_spans(text, language):
        assert position <= span.start < span.end
        assert text[position : span.start].strip() == ""
        assert span.of(text) == span.of(text).strip()
        position = span.end
    assert text[position:].strip() == ""
