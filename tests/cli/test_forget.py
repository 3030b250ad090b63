from __future__ import annotations

import io
import zipfile
from pathlib import Path

from tests.cli.running import here

MAIL = (
    b"From: a@example.org\nTo: b@example.org\nDate: Mon, 1 Jan 2024 10:00:00 +0000\nSubject: pump\nMIME-Version: 1.0\n"
    b'Content-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Type: text/plain\n\nThe pump is loud.\n--x\n'
    b'Content-Type: text/plain; name="facts.txt"\nContent-Disposition: attachment; filename="facts.txt"\n\n'
    b"Ninety decibels were measured.\n--x--\n"
)


def _archive(**members: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("_", "."), data)
    return content.getvalue()


def test_a_name_takes_what_came_out_of_its_file_and_nothing_else(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a").write_text("plain apple orchard")
    (docs / "a!b.txt").write_text("plain banana grove")
    (docs / "a!c.jsonl").write_text('{"id": "1", "text": "row of cherry trees"}\n')
    (docs / "z.zip").write_bytes(_archive(one_txt=b"damson jam", in_zip=_archive(two_txt=b"elder wine")))
    (docs / "pump.eml").write_bytes(MAIL)
    assert here("ingest", "docs", cwd=tmp_path).code == 0

    def forgotten(name: str) -> list[str]:
        ran = here("forget", name, "--json", cwd=tmp_path)
        assert ran.code == 0, ran.err
        return list(ran.json["doc_ids"])

    assert forgotten("a") == ["a"]
    assert forgotten("z.zip!in.zip") == ["z.zip!in.zip!two.txt"]
    assert forgotten("z.zip") == ["z.zip!one.txt"]
    assert forgotten("pump.eml") == ["pump.eml", "pump.eml!facts.txt"]
    assert forgotten("a!c.jsonl") == ["a!c.jsonl!1"]
    assert forgotten("a!b.txt") == ["a!b.txt"]
