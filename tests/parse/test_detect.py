"""What a file is by what it holds."""

from __future__ import annotations

import pytest

from ragcli.parse.detect import detect

ARTICLE = b"""From: Junio C Hamano <junio@example.org>
To: list@example.org
Date: Wed, 07 May 2014 13:15:39 -0700
Subject: Beginner question
Abstract: This how-to explains a method for keeping a
 history correct.
Content-type: text/asciidoc

Keep history correct
====================
"""
SENT = b"From: a@example.org\nTo: b@example.org\nDate: Mon, 1 Jan 2024 10:00:00 +0000\nSubject: real\n\nbody\n"
RECEIVED = b"Return-Path: <a@example.org>\nSubject: real\n\nbody\n"
BOX = b"From a@example.org Mon Jan  1 10:00:00 2024\nSubject: one\n\nbody\n"


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("howto", ARTICLE, "text/asciidoc"),
        ("howto.txt", ARTICLE, "text/asciidoc"),
        ("howto.eml", ARTICLE, "message/rfc822"),
        ("sent", SENT, "message/rfc822"),
        ("received", RECEIVED, "message/rfc822"),
        ("note", b"From: the desk of Kim\nSubject: lunch\n\nNo mail this.\n", "text/plain"),
        ("note", b"Subject: lunch\nDate: today\n\nNo mail this.\n", "text/plain"),
        ("box", BOX, "application/mbox"),
        ("story.txt", b"From the start\nthere was: nothing\n", "text/plain"),
        ("story.md", b"From the start\nthere was nothing\n", "text/markdown"),
        ("a.py", b"x = 1\n", "text/x-code-py"),
        ("bells.txt", b"short\x07\x08 note with \x01 bells", "text/plain"),
        ("data.txt", b"\x00\x01\x02\x03" * 8, "application/octet-stream"),
        ("data.txt", b"ab\x01\x02\x03" * 900, "application/octet-stream"),
    ],
)
def test_the_kind_of_a_file(name: str, data: bytes, kind: str) -> None:
    extension = f".{name.rpartition('.')[2]}" if "." in name else ""
    assert detect(name, extension, data) == kind


def test_what_stands_above_an_article_is_kept() -> None:
    from tests.parse.builders import parse_one

    document = parse_one("howto", ARTICLE)
    assert "Junio C Hamano" in document.text and "Abstract: This how-to" in document.text
    assert [section.heading_path for section in document.sections] == [("Keep history correct",)]
