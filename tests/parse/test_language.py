from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ragcli.parse.language import detect_language

SENTENCES = {
    "en": "The tenant may end the lease with three months' notice.",
    "de": "Der Mieter kann den Vertrag mit einer Frist von drei Monaten kündigen.",
    "fr": "Le locataire peut résilier le bail avec un préavis de trois mois.",
    "es": "El inquilino puede rescindir el contrato con tres meses de antelación.",
    "ru": "Арендатор может расторгнуть договор, уведомив об этом за три месяца.",
    "uk": "Орендар може розірвати договір, повідомивши про це за три місяці.",
    "ar": "يجوز للمستأجر إنهاء عقد الإيجار بإشعار مدته ثلاثة أشهر.",
    "hi": "किरायेदार तीन महीने की सूचना देकर पट्टा समाप्त कर सकता है।",
    "ja": "借主は三か月前に通知することで契約を解除できます。",
    "zh": "承租人可以提前三个月通知终止租约。",
    "ko": "임차인은 3개월 전에 통지하여 계약을 해지할 수 있다.",
}


@pytest.mark.parametrize(("code", "text"), SENTENCES.items())
def test_one_sentence_is_enough(code: str, text: str) -> None:
    assert detect_language(text) == code
    assert detect_language(text.upper()) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        "12.5 | 13.0 | 9,1",
        "Zq",
        "xk zq vv pq rr tz kk wq jj vx qz",
        "kündigen und",
        "the tenant may end the lease",  # French, says the model, by .74
        "ang dakbayan sa sugbo usa ka dakong dakbayan sa kabisay-an nga nahimutang",  # ceb: three letters
    ],
)
def test_too_little_to_tell(text: str) -> None:
    assert detect_language(text) is None


def test_lines_and_characters_that_are_none_do_not_disturb_it() -> None:
    text = SENTENCES["de"].replace(" ", "\n") + "\0\ud800"
    assert detect_language(text) == "de"


def test_the_language_of_the_body_counts_more_than_that_of_its_preface() -> None:
    preface = (SENTENCES["en"] + " ") * 75
    assert 4_000 < len(preface) < 4_500
    assert detect_language(preface + (SENTENCES["de"] + " ") * 400) == "de"


def test_the_model_brings_no_http_client() -> None:
    script = (
        "from ragcli.parse import language as it; import sys; it.load_languages(); print('requests' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": "."},
    )
    assert done.stdout.strip() == "False"
