from __future__ import annotations

import time
import tracemalloc
from email.message import EmailMessage

import pytest

from tests.parse.builders import make_zip, parse_bytes, parse_one, shape


def make_message() -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Dana <dana@example.org>"
    message["To"] = "kim@example.org"
    message["Subject"] = "Größe der Pumpe"
    message["Date"] = "Tue, 03 Mar 2026 10:00:00 +0100"
    message.set_content("The pump is X200-B.\n\n> Which pump?\n")
    message.add_alternative("<p>The pump is X200-B.</p>", subtype="html")
    message.add_attachment(b"size: 20", maintype="text", subtype="plain", filename="facts.txt")
    message.add_attachment(
        make_zip({"deep.txt": "in the archive"}), maintype="application", subtype="zip", filename="a.zip"
    )
    return message


def test_a_message_and_its_attachments() -> None:
    documents, reports = parse_bytes("in/pump.eml", make_message().as_bytes())
    by_id = {document.doc_id: document for document in documents}
    assert sorted(by_id) == ["in/pump.eml", "in/pump.eml!a.zip!deep.txt", "in/pump.eml!facts.txt"]
    message = by_id["in/pump.eml"]
    assert message.title == "Größe der Pumpe"
    assert message.metadata.modified == "2026-03-03"
    assert shape(message) == [
        ("heading", 1, "Größe der Pumpe"),
        (
            "paragraph",
            None,
            "From: Dana <dana@example.org>\nTo: kim@example.org\nDate: Tue, 03 Mar 2026 10:00:00 +0100",
        ),
        ("paragraph", None, "The pump is X200-B."),
        ("quote", None, "> Which pump?"),
    ]
    assert by_id["in/pump.eml!a.zip!deep.txt"].text == "in the archive"
    assert {report.path for report in reports} == {*by_id, "in/pump.eml!a.zip"}


def test_html_only_and_odd_charset() -> None:
    data = (
        b"From: a@b\r\nSubject: =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=\r\nContent-Type: text/html; charset=shift_jis\r\n"
        b"Content-Transfer-Encoding: 8bit\r\n\r\n<p>" + "東京です".encode("shift_jis") + b"</p>"
    )
    document = parse_one("a.eml", data)
    assert (document.title, document.text.splitlines()[-1]) == ("日本", "東京です")


def test_a_mailbox_is_its_messages() -> None:
    box = "".join(f"From a@b Tue Mar  3\nFrom: a@b\nSubject: n{n}\n\nbody {n}\n>From here\n\n" for n in (1, 2))
    documents, _ = parse_bytes("all.mbox", box.encode())
    assert [(d.doc_id, d.title) for d in documents] == [("all.mbox!1.eml", "n1"), ("all.mbox!2.eml", "n2")]
    assert documents[0].text.endswith("body 1\nFrom here")


def test_an_encrypted_message_is_named() -> None:
    data = b"From: a@b\nSubject: secret\nContent-Type: multipart/encrypted; boundary=x\n\n--x\n\nzz\n--x--\n"
    _, reports = parse_bytes("a.eml", data)
    assert "encrypted" in reports[-1].warnings[0]


def test_a_text_that_only_starts_like_a_message_stays_text() -> None:
    data = b"From: a@b\nSubject: how to\nAbstract: what it is about\n\nbody\n"
    assert parse_one("howto.txt", data).text == data.decode()
    assert parse_one("howto", data).text == data.decode()
    assert parse_one("saved-message", b"Message-ID: <1@b>\n" + data).title == "how to"


LONG_HEADERS = {
    "words": b"Subject: " + b"ab " * 100_000,
    "folded": b"Subject: " + b"ab\r\n " * 60_000,
    "encoded words": b"Subject: " + b"=?utf-8?b?aGVsbG8=?= " * 15_000,
    "recipients": b"To: " + b"a@b.example, " * 25_000,
    "comments": b"To: " + b"(" * 300_000,
    "groups": b"To: " + b"a:" * 150_000,
    "quotes": b"To: " + b'"' * 300_000,
    "angles": b"To: " + b"<" * 300_000,
    "date": b"Date: " + b"1 " * 150_000,
    "parameters": b"Content-Type: text/plain; " + b"; ".join(b"x*%d=1" % n for n in range(40_000)),
    "file name": b"Content-Disposition: attachment; filename=" + b"=?utf-8?q?a?=" * 20_000,
    "many": b"\r\n".join(b"X-%d: y" % n for n in range(30_000)),
}


@pytest.mark.parametrize("name", LONG_HEADERS)
def test_a_long_header_costs_time_and_memory_by_its_length_alone(name: str) -> None:
    data = b"From: a@b.example\r\n" + LONG_HEADERS[name] + b"\r\n\r\nThe body of the message.\r\n"
    tracemalloc.start()
    started = time.process_time()
    documents, _ = parse_bytes("a.eml", data)
    seconds, (_, peak) = time.process_time() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert seconds < 20 and peak < 100 * len(data)
    if name not in ("file name",):  # a message that is itself an attachment has no text of its own
        assert "The body of the message." in documents[0].text


def test_nothing_of_a_long_header_is_lost() -> None:
    people = [f"Person{n} <p{n}@x.example>" for n in range(2000)]
    subject = "=?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n =?iso-8859-1?b?SGFsbPZjaGVu?= und =?x-none?q?a?= " + "mehr " * 2000
    data = f"From: a@b.example\r\nTo: {', '.join(people)}\r\nSubject: {subject}\r\n\r\nBody.\r\n".encode()
    (document,), _ = parse_bytes("a.eml", data)
    assert "Person1999 <p1999@x.example>" in document.text
    assert document.title.startswith("GrüßeHallöchen und =?x-none?q?a?= mehr") and document.title.count("mehr") == 2000
