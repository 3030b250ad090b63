"""The tree of parts of a message: nothing of it is lost, and each text stands once."""

from __future__ import annotations

import base64

import pytest

from ragcli.parse.containers.mail_tree import unflowed
from tests.parse.builders import parse_bytes, shape

HEAD = "From: a@b.example\nTo: c@d.example\nSubject: Order\nMIME-Version: 1.0\n"
PLAIN = "Content-Type: text/plain; charset=utf-8\n\n{}\n"
PAGE = "Content-Type: text/html; charset=utf-8\n\n<html><body>{}</body></html>\n"
FILE = (
    "Content-Type: text/plain\nContent-Disposition: inline; "
    'filename="terms.txt"\n\nthe penalty for late mooring is 40 euros\n'
)
EVENT = """BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VEVENT
SUMMARY:Review of the
  harbour plan
DTSTART;TZID=Europe/Oslo:20260312T140000
DTEND;TZID=Europe/Oslo:20260312T153000
LOCATION:Pier 4\\, room 2
ORGANIZER;CN=Una Berg:mailto:una@b.example
ATTENDEE;CN=Kim;PARTSTAT=ACCEPTED:mailto:kim@d.example
DESCRIPTION:Bring the charts.
END:VEVENT
END:VCALENDAR
"""


def multi(kind: str, *parts: str, mark: str = "b1") -> str:
    """A multipart of a kind around parts."""
    return (
        f'Content-Type: multipart/{kind}; boundary="{mark}"\n\n'
        + "".join(f"--{mark}\n{part}\n" for part in parts)
        + f"--{mark}--\n"
    )


def texts(message: str | bytes) -> tuple[dict[str, str], str]:
    """Texts by the end of their id, and all that was reported."""
    documents, reports = parse_bytes("m.eml", message if isinstance(message, bytes) else message.encode())
    told = "; ".join(f"{report.path}: {report.skipped} {report.warnings}" for report in reports)
    return {item.doc_id.removeprefix("m.eml"): item.text for item in documents}, told


def test_a_stub_gives_way_to_the_full_form_and_a_full_text_does_not() -> None:
    page = PAGE.format(
        "<p>Order <b>KX-20931</b> was shipped, tracking 1Z88-441.</p><table><tr>"
        "<td>Oil<td>18.40<tr><td>Wick<td>2</table>"
    )
    stub = HEAD + multi("alternative", PLAIN.format("Please use a client that can display HTML."), page)
    found, _ = texts(stub)
    assert "KX-20931" in found[""] and "| Oil | 18.40 |" in found[""] and "client that" not in found[""]
    full = PLAIN.format("Order KX-20931 was shipped, tracking 1Z88-441. Oil 18.40, wick 2 [plain]")
    found, _ = texts(HEAD + multi("alternative", full, page))
    assert found[""].endswith("[plain]")


def test_attachments_and_text_anywhere_in_the_tree() -> None:
    hello, bye = PAGE.format("Hello,<br>please find the terms."), PAGE.format("Regards, Una")
    inner = multi("mixed", hello, FILE, bye, mark="b2")
    found, _ = texts(HEAD + multi("alternative", PLAIN.format("Hello,\n\nplease find the terms."), inner))
    assert "penalty for late mooring" in found["!terms.txt"]
    assert found[""].count("please find the terms") == 1
    deepest = multi("mixed", PLAIN.format("second"), FILE, mark="b3")
    deep = multi("mixed", PLAIN.format("first"), deepest, PLAIN.format("third"), mark="b2")
    found, _ = texts(HEAD + multi("mixed", deep, PLAIN.format("fourth")))
    assert found[""].split("\n\n")[-4:] == ["first", "second", "third", "fourth"]
    assert "!terms.txt" in found


def test_related_and_reports() -> None:
    logo = (
        "Content-Type: image/png\nContent-ID: <x>\nContent-Disposition: "
        "inline\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n"
    )
    found, told = texts(HEAD + multi("related", PAGE.format("<p>Seen.</p><img src='cid:x' alt='Map'>"), logo))
    assert found[""].endswith("Seen.\n\nPicture: Map") and "png" not in told
    status = (
        "Content-Type: message/delivery-status\n\nReporting-MTA: dns; "
        "b.example\n\nFinal-Recipient: rfc822; kim@d.example\nStatus: 5.1.1\n"
    )
    found, _ = texts(HEAD + multi("report", PLAIN.format("Not delivered."), status))
    assert "Status: 5.1.1" in found[""] and "Reporting-MTA: dns; b.example" in found[""]


def der(tag: int, *contents: bytes) -> bytes:
    """An element of DER."""
    content = b"".join(contents)
    size = bytes([len(content)]) if len(content) < 128 else b"\x82" + len(content).to_bytes(2, "big")
    return bytes([tag]) + size + content


def envelope(oid: str, inner: bytes) -> str:
    """A part of S/MIME around bytes."""
    data = der(0x06, bytes.fromhex("2a864886f70d010701"))
    content = der(0x30, data, der(0xA0, inner))
    signed = der(0x30, der(0x06, bytes.fromhex(oid)), der(0xA0, der(0x30, der(2, b"\1"), der(0x31), content)))
    kind = (
        "Content-Type: application/pkcs7-mime; smime-type=signed-data; "
        'name="smime.p7m"\nContent-Transfer-Encoding: base64\n\n'
    )
    return kind + base64.encodebytes(signed).decode()


@pytest.mark.parametrize("pieces", [1, 3])
def test_what_is_only_signed_is_read_and_the_signature_is_named(pieces: int) -> None:
    signature = (
        "Content-Type: application/pkcs7-signature; "
        'name="smime.p7s"\nContent-Disposition: attachment; filename="smime.p7s"\n\nxx\n'
    )
    signed = multi("mixed", PLAIN.format("The bail is 40."), FILE, mark="b2")
    found, told = texts(HEAD + multi("signed", signed, signature))
    assert "The bail is 40." in found[""] and "!terms.txt" in found and "signed with S/MIME (smime.p7s)" in told
    inner = PLAIN.format("The bail is 50. " * 30).encode()
    size = -(-len(inner) // pieces)
    octets = [der(4, inner[at : at + size]) for at in range(0, len(inner), size)]
    found, told = texts(HEAD + envelope("2a864886f70d010702", octets[0] if pieces == 1 else der(0x24, *octets)))
    assert found[""].count("The bail is 50.") == 30 and "signed with S/MIME" in told
    found, told = texts(HEAD + envelope("2a864886f70d010703", octets[0]))
    assert "bail" not in found[""] and "encrypted" in told


@pytest.mark.parametrize("cut", range(20, 120, 7))
def test_a_damaged_signature_is_named(cut: int) -> None:
    part = envelope("2a864886f70d010702", der(4, PLAIN.format("The bail is 50.").encode()))
    whole = base64.b64decode(part.split("\n\n")[1])
    damaged = base64.encodebytes(whole[:cut]).decode()
    _, told = texts(HEAD + "Content-Type: application/pkcs7-mime\nContent-Transfer-Encoding: base64\n\n" + damaged)
    assert "encrypted" in told or "signed" in told


@pytest.mark.parametrize("kind", ["alternative", "mixed"])
def test_an_invitation_says_what_when_where_and_who(kind: str) -> None:
    calendar = "Content-Type: text/calendar; charset=utf-8; method=REQUEST\n\n" + EVENT
    found, _ = texts(HEAD + multi(kind, PLAIN.format("You are invited."), calendar))
    assert "You are invited." in found[""]
    assert (
        "Event: Review of the harbour plan\nStart: 2026-03-12 14:00 Europe/Oslo\nEnd: 2026-03-12 15:30 Europe/Oslo\n"
        "Place: Pier 4, room 2\nOrganizer: Una Berg <una@b.example>\nAttendees: "
        "Kim <kim@d.example> (accepted)\n\nBring the charts."
    ) in found[""]


@pytest.mark.parametrize("broken", ["", "BEGIN:VCALENDAR\n", EVENT.replace("20260312T140000", "soon"), "no calendar"])
def test_a_broken_invitation_loses_no_text(broken: str) -> None:
    calendar = "Content-Type: text/calendar\n\n" + broken
    found, _ = texts(HEAD + multi("mixed", PLAIN.format("You are invited."), calendar))
    assert "You are invited." in found[""]
    assert broken != "no calendar" or "no calendar" in found[""]


def test_a_message_in_a_message_and_what_nobody_reads() -> None:
    inner = "Content-Type: message/rfc822\n\nFrom: x@y.example\nSubject: Old\n\nThe old text.\n"
    coded = (
        "Content-Type: message/rfc822\nContent-Transfer-Encoding: "
        "base64\n\n" + base64.encodebytes(inner.split("\n\n", 1)[1].encode()).decode()
    )
    bundle = 'Content-Type: application/ms-tnef; name="winmail.dat"\nContent-Transfer-Encoding: base64\n\neJ8+IgAA\n'
    found, told = texts(HEAD + multi("mixed", PLAIN.format("See below."), inner, coded, bundle))
    assert sum("The old text." in text for text in found.values()) == 2
    assert "m.eml!winmail.dat" in told and "TNEF" in told


@pytest.mark.parametrize("charset", ["utf-8", "x-unknown", "ansi_x3.110-1983", "us-ascii", ""])
def test_a_false_charset(charset: str) -> None:
    stated = f"; charset={charset}" if charset else ""
    head = f"{HEAD}Content-Type: text/plain{stated}\nContent-Transfer-Encoding: 8bit\n\n".encode()
    found, _ = texts(head + "Die Größe der Tür wäre für Köln zu groß, sagen die Behörden.\n".encode("cp1252"))
    assert "Größe der Tür wäre für Köln" in found[""]


def test_flowed_text() -> None:
    flowed = "One line that \ngoes on \nhere.\n> quoted \n> words\n> > deeper\n stuffed\n-- \nUna\n"
    assert unflowed(flowed) == "One line that goes on here.\n> quoted words\n> > deeper\nstuffed\n--\nUna\n"
    assert unflowed("東 \n京\n", joined=True) == "東京\n"
    found, _ = texts(HEAD + "Content-Type: text/plain; format=flowed\n\nThe valve is \nclosed.\n")
    assert found[""].endswith("The valve is closed.")


def test_blocks_of_the_html_form_are_kept() -> None:
    (document,), _ = parse_bytes(
        "m.eml",
        (HEAD + PAGE.format("<h1>Fees</h1><ul><li>one</ul><table><tr><td>a<td>b<tr><td>c<td>d</table>")).encode(),
    )
    kinds = [(kind, level) for kind, level, _ in shape(document)][2:]
    assert kinds == [("heading", 2), ("list_item", 1), ("table", None)]
