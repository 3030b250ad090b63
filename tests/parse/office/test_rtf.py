"""RTF as its reader sees it: headings, lists, merged cells, notes, links, code pages; hidden text is named."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ragcli.config import IngestConfig
from tests.parse.builders import parse_bytes, parse_one, shape
from tests.parse.office.test_word_numbers import CASES, NOT_IN_LIBREOFFICE

FONTS = (
    r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset238 Arial CE;}{\f2\fcharset128 MS Mincho;}{\f3\fcharset2 Symbol;}"
    r"{\f4\fcharset2 Wingdings;}}"
)


def rtf(body: str) -> bytes:
    return (r"{\rtf1\ansi\ansicpg1252\deff0" + FONTS + body + "}").encode("latin-1")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"Gr\'fc\'dfe", "Grüße"),
        (r"{\f1 za\'bf\'f3\'b3\'e6}", "zażółć"),
        (r"{\f2 \'93\'8c\'8b\'9e\'83A}", "東京ア"),
        (r"\uc1\u26085?\u26412\'3f!", "日本!"),
        (r"\uc0\u-10179\u-8704 ", "😀"),
        (r"{\f3 \'b1}0.4 {\f4 \'fe} done", "±0.4 ☑ done"),
        (r"2\_36\~hours, co\-operate \endash  \ldblquote x\rdblquote", "2-36 hours, cooperate – “x”"),
        (r"a {\deleted gone}{\*\unknown gone}{\upr{gone}{\*\ud{kept}}}", "a kept"),
        (r"one\bin5 }}}}}two", "onetwo"),
    ],
)
def test_characters(body: str, expected: str) -> None:
    assert parse_one("a.rtf", rtf(body)).text == expected


def test_headings_lists_notes_links_and_edges() -> None:
    body = (
        r"{\stylesheet{\s0 Normal;}{\s1 heading 1;}{\s2\outlinelevel1 Part;}}"
        r"{\info{\title The lease}{\revtim\yr2026\mo3\dy5}}"
        r"{\header Lease 7\par}\pard\s1{\listtext 3\tab}Liability\par\pard\outlinelevel1 Caps\par"
        r"\pard\ilvl1{\listtext\'b7\tab}capped{\footnote As of May.}\par"
        r'\pard See {\field{\*\fldinst HYPERLINK "https://example.org/f"}{\fldrslt the form}}.\par'
    )
    document = parse_one("a.rtf", rtf(body))
    assert shape(document) == [
        ("heading", 1, "3 Liability"),
        ("heading", 2, "Caps"),
        ("list_item", 2, "- capped[1]"),
        ("paragraph", None, "See the form."),
        ("other", None, "the form: https://example.org/f"),
        ("other", None, "[1] As of May."),
        ("other", None, "Lease 7"),
    ]
    assert (document.title, document.metadata.modified) == ("The lease", "2026-03-05")


def test_merged_cells() -> None:
    rows = [
        (r"\clvmgf\cellx1000\clmgf\cellx2000\clmrg\cellx3000", ["Site", "2026", ""]),
        (r"\clvmrg\cellx1000\cellx2000\cellx3000", ["", "Early", "Late"]),
        (r"\clvmgf\cellx1000\cellx2000\cellx3000", ["Mill", "Kim", "Ann"]),
        (r"\clvmrg\cellx1000\cellx2000\cellx3000", ["", "Ben", "Eva"]),
        (r"\cellx1000\cellx3000", ["Fair", "closed"]),
    ]
    body = "".join(
        r"\trowd\trleft0" + places + r"\pard\intbl " + "".join(text + r"\cell " for text in texts) + r"\row "
        for places, texts in rows
    )
    assert parse_one("a.rtf", rtf(body + r"\pard After\par")).text.split("\n") == [
        "| Site | 2026 > Early | 2026 > Late |",
        "| --- | --- | --- |",
        "| Mill | Kim | Ann |",
        "| Mill | Ben | Eva |",
        "| Fair | closed | closed |",
        "",
        "After",
    ]


def test_hidden_text_is_named_and_read_on_wish() -> None:
    data = rtf(r"seen {\v unseen}\par")
    documents, reports = parse_bytes("a.rtf", data)
    assert documents[0].text == "seen"
    assert "text hidden by its style, 6 characters" in reports[-1].warnings[0]
    assert parse_one("a.rtf", data, IngestConfig(hidden_text=True)).text == "seen unseen"


def test_what_is_no_rtf_or_damaged() -> None:
    assert parse_bytes("a.rtf", b"{\\rtf1 }")[1][-1].skipped == "no text in it"
    assert parse_one("a.rtf", rtf("kept" + "{" * 5000)).text == "kept"
    assert parse_one("a.rtf", b"{\\rtf1 kept \\'8").text.startswith("kept")


def test_what_is_cut_off_inside_a_note_keeps_its_text() -> None:
    """A download that broke off: no group is closed."""
    cut = rtf(r"Two days a week.{\footnote Not for interns").removesuffix(b"}")
    assert parse_one("a.rtf", cut).text == "Two days a week.[1]\n\n[1] Not for interns"


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not here")
def test_numbers_survive_the_way_from_word(tmp_path: Path) -> None:
    names = [name for name in CASES if name not in NOT_IN_LIBREOFFICE]
    paths = [tmp_path / f"{place}.docx" for place in range(len(names))]
    for path, name in zip(paths, names, strict=True):
        path.write_bytes(CASES[name][0])
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", "rtf", "--outdir", str(tmp_path), *map(str, paths)]
    subprocess.run(command, check=True, capture_output=True, timeout=180)
    differing = {}
    for path, name in zip(paths, names, strict=True):
        seen = " ".join(parse_one("a.rtf", path.with_suffix(".rtf").read_bytes()).text.split())
        if seen != " ".join(CASES[name][1]):
            differing[name] = seen
    assert differing == {}
