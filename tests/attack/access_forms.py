"""Every form in which somebody may have said who may see a document: none of them may leave it public in silence.

A form is a file. What comes out of it must be for the groups it names alone, or be withheld and named with a reason.
"""

from __future__ import annotations

import email.message
import io
import itertools
import json
import random
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ragcli.config import IngestConfig
from ragcli.parse.reading import context_for, read
from ragcli.parse.source import Source
from ragcli.records import Document, FileReport
from tests.attack import Outcome

GROUPS = frozenset({"hr", "board"})
BODY = "The canary sings at noon.\n"
NAMES = [
    "acl",
    "ACL",
    "Acl",
    "\u200bacl",
    "a\u200bcl",
    "acl\u200b",
    "\uff41\uff43\uff4c",
    "groups",
    "access",
    "meta.acl",
]
NAMES += ["access_groups", "Allowed-Groups", "acl_groups", "access control list", "x-acl", "rag_acl", '"acl"', "acls"]
VALUES = ("[hr]", "hr", '"hr"', "[hr, board]", "hr, board", "'hr'", "[ hr ]")
UNHEARD = ("[]", "", "null", "true", "{hr: true}", "[[hr]]", "[hr, null]", "[yes]", "~", "''", "!hr")


@dataclass(frozen=True)
class Form:
    """A file that says who may see it; ``honest`` says that its groups are ``GROUPS`` or some of them."""

    name: str
    data: bytes
    honest: bool = True


def forms() -> Iterator[Form]:
    """Every form, the same ones in the same order each time."""
    for number, form in enumerate(_all()):
        yield replace(form, name=f"{number:04}-{form.name}")


def _all() -> Iterator[Form]:
    yield from _front_matter()
    yield from _fences()
    yield from _heads()
    yield from _rows()
    yield from _tables()
    yield from _pages()
    yield from _messages()
    yield from _packages()
    yield from _containers()


def _text(name: str, text: str, *, honest: bool = True) -> Form:
    return Form(name, text.encode("utf-8"), honest)


def _front_matter() -> Iterator[Form]:
    for name in NAMES:
        yield _text("name.md", f"---\ntitle: T\n{name}: [hr]\n---\n\n{BODY}")
        yield _text("name.txt", f"---\n{name}: [hr]\n---\n\n{BODY}")
    for value in VALUES:
        yield _text("value.md", f"---\nacl: {value}\n---\n{BODY}")
    for value in UNHEARD:
        yield _text("unheard.md", f"---\nacl: {value}\n---\n{BODY}", honest=False)
        yield _text("unheard.txt", f"---\ntitle: T\nacl: {value}\n---\n{BODY}", honest=False)
    inner = (
        "meta: {acl: [hr]}",
        "meta:\n  acl: [hr]",
        "metadata:\n  groups: [hr]",
        "params:\n  deep:\n    acl: hr",
        "- acl: [hr]",
        "- title: T\n- acl: hr",
        "acl:\n- hr\n- board",
        "acl:\n  - hr",
        "acl : [hr]",
        "acl:[hr]",
        "acl = [hr]",
        "title: T\nacl = [hr]",
        "\tacl: [hr]",
        "title: T\n\tacl: [hr]",
        " acl: [hr]",
        "title: T\n acl: [hr]",
        "acl: [hr",
        "acl: [hr] # who",
        "# a remark\nacl: [hr]",
        "acl: [hr]\nacl: [board]",
        "acl: [hr]\nACL: []",
        "acl: [hr, board]\ngroups: [hr]",
        "acl: [hr]\ngroups: [board]",
        "acl: [hr]\nmeta: {acl: [board]}",
        "base: &b {acl: [hr]}\n<<: *b",
        "a: &a [hr]\nacl: *a",
        "? acl\n: [hr]",
        "!!str acl: [hr]",
        '"\\x61cl": [hr]',
        "{title: T, acl: [hr]}",
        "description: |\n  acl: [hr]",
        "description: >\n  text\nacl: [hr]\nbroken: [",
        "acl: &x [hr, *x]",
        "title: a: b\nacl: [hr]",
        "acl: |\n  hr\n  board",
        "acl: 'hr",
        "\u2028acl: [hr]",
        "title: T\r\nacl: [hr]\r",
    )
    for content in inner:
        honest = "ACL: []" not in content
        yield _text("inner.md", f"---\n{content}\n---\n\n{BODY}", honest=honest)
    for extension in ("rst", "adoc", "org", "tex", "html", "qmd", "mdx", ""):
        name = f"format.{extension}" if extension else "README"
        yield _text(name, f"---\nacl: [hr]\n---\n\n<p>{BODY}</p>")


def _fences() -> Iterator[Form]:
    for before, extension in itertools.product(
        ("\n", " ", "\n\n \n", "\ufeff", "\u200b", "\t", "\r\n", "\u2060\n"), ("md", "txt")
    ):
        yield _text(f"before.{extension}", f"{before}---\nacl: [hr]\n---\n{BODY}")
    for opening in (
        "---yaml",
        "--- yaml",
        "----",
        "-----",
        "--- # front",
        "---   ",
        "---json",
        "```yaml",
        "~~~",
        ";;;",
    ):
        closing = opening[:3] if opening[0] in "`~;" else "---"
        for extension in ("md", "txt", "rst"):
            yield _text(f"fence.{extension}", f"{opening}\nacl: [hr]\n{closing}\n\n{BODY}")
    yield _text("fence.md", f"----\nacl: [hr]\n----\n\n{BODY}")
    yield _text("dash.md", f"\u2014\nacl: [hr]\n\u2014\n\n{BODY}")
    for content in ('acl = ["hr"]', "acl = [hr]", 'title = "T"\nacl = "hr"', '[meta]\nacl = ["hr"]', '"acl" = ["hr"]'):
        yield _text("plus.md", f"+++\n{content}\n+++\n\n{BODY}")
        yield _text("plus.txt", f"\n+++\n{content}\n+++\n\n{BODY}")
    for text in (
        "---\nacl: [hr]\n\n",
        "---\ntitle: T\n\nacl: [hr]\n\n",
        "---\nacl: [hr]\n***\n",
        "+++\nacl = [hr]\n\n",
    ):
        yield _text("open.md", text + BODY)
        yield _text("open.txt", text + BODY)
    yield _text("object.md", f'{{"title": "T", "acl": ["hr"]}}\n\n{BODY}')
    yield _text("object.md", f'{{"title": "T", "acl": ["hr"]\n\n{BODY}')
    yield _text("after.md", f"<!-- (c) Example -->\n---\nacl: [hr]\n---\n{BODY}")
    for end in ("\r\n", "\r"):
        yield Form("ends.md", f"---{end}acl: [hr]{end}---{end}{BODY}".encode())
    for encoding in ("utf-16", "utf-8-sig", "utf-32"):
        yield Form("coded.md", f"---\nacl: [hr]\n---\n{BODY}".encode(encoding))


def _heads() -> Iterator[Form]:
    lines = {
        "md": (
            "acl: hr",
            "ACL: [hr]",
            "title: T\nacl: hr, board",
            "<!-- acl: hr -->",
            "acl = hr",
            "[//]: # (x)\nacl: hr",
            "[//]: # (acl: hr)",
        ),
        "txt": ("acl: hr", "Title: T\nAccess-Groups: hr\nDate: now", "; acl: hr", "// acl: hr"),
        "rst": (":acl: hr", "Title\n=====\n\n:author: x\n:ACL: hr", ".. acl: hr", ".. meta::\n   :acl: hr"),
        "adoc": ("= Title\nAn Author\n:acl: hr", "= Title\n:acl: hr, board", "// acl: hr"),
        "org": ("#+TITLE: T\n#+ACL: hr", "#+PROPERTY: acl hr", ":PROPERTIES:\n:ACL: hr\n:END:"),
        "tex": ("% acl: hr", "%% ACL: hr"),
        "yaml": ("acl: [hr]\ntext: x", "text: x\nlist:\n  - a\nacl:\n  - hr", "acl: [hr\n"),
        "toml": ('acl = ["hr"]\ntext = "x"', "acl = [hr"),
        "ini": ("acl = hr\n[section]\na = b", "[document]\nacl = hr", "; acl: hr", "# acl: hr\n[a]\nb = c"),
        "cfg": ("[metadata]\nname = x\nacl: hr",),
        "py": ("# acl: hr\nx = 1", "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n# acl: [hr]\nx = 1"),
        "sh": ("#!/bin/sh\n# Acl: hr, board",),
        "c": ("/*\n * acl: hr\n */\nint x;", "/* acl: hr */"),
        "bat": ("REM acl: hr",),
        "vtt": (
            "WEBVTT\n\nNOTE acl: hr\n\n00:00.000 --> 00:01.000",
            "WEBVTT\nacl: hr\n\n00:00.000 --> 00:01.000",
            "WEBVTT\n\nNOTE\nacl: hr\n\n00:00.000 --> 00:01.000",
        ),
        "sql": ("-- acl: hr\nSELECT 1;",),
    }
    for extension, heads in lines.items():
        for head in heads:
            end = "" if extension in ("yaml", "toml") else f"\n\n{BODY}"
            yield _text(f"head.{extension}", head + end)


def _rows() -> Iterator[Form]:
    objects: tuple[dict[str, object], ...] = (
        {"text": BODY, "acl": ["hr"]},
        {"text": BODY, "ACL": "hr"},
        {"text": BODY, "groups": ["hr"]},
        {"text": BODY, "meta": {"acl": ["hr"]}},
        {"text": BODY, "metadata": {"groups": "hr"}},
        {"text": BODY, "meta.acl": ["hr"]},
        {"text": BODY, "source": {"rights": {"acl": ["hr"]}}},
        {"text": BODY, "acl": ["hr"], "metadata": {"acl": ["board"]}},
        {"text": BODY, "acl": ["hr", "board"], "metadata": {"acl": ["hr"]}},
        {"question": BODY, "acl": ["hr"]},
        {"name": BODY, "meta": {"acl": ["hr"]}},
        {"a": {"b": [{"acl": "hr", "c": BODY}]}},
        {"name": BODY, "\u200bacl": ["hr"]},
        {"name": BODY, "x-acl": "hr"},
        {"cells": [BODY], "acl": "[hr]"},
    )
    bad: tuple[dict[str, object], ...] = (
        {"text": BODY, "acl": []},
        {"text": BODY, "acl": None},
        {"text": BODY, "acl": {"hr": "read"}},
        {"name": BODY, "acl": True},
        {"name": BODY, "acl": [None, "hr"]},
    )
    for row, honest in [*((row, True) for row in objects), *((row, False) for row in bad)]:
        line = json.dumps(row)
        yield _text("row.jsonl", f"{line}\n", honest=honest)
        yield _text("object.json", json.dumps(row, indent=1), honest=honest)
        yield _text("array.json", f"[{line}]", honest=honest)
        yield _text("mixed.json", json.dumps([row, {"name": "no text here"}]), honest=honest)
    yield _text("twice.json", '{"name": "x", "acl": ["hr"], "text": "y", "acl": []}', honest=False)
    yield _text("twice.jsonl", '{"text": "x y z", "acl": ["hr"], "acl": ["board"]}\n', honest=False)


def _tables() -> Iterator[Form]:
    for name, mark in (("t.csv", ","), ("t.csv", ";"), ("t.tsv", "\t"), ("t.csv", "|")):
        for header in ("acl", "ACL", "\ufeffacl", "access groups", "meta.acl", "Allowed Groups"):
            rows = [("id", "text", header), ("1", "canary", "hr"), ("2", "noon", "hr")]
            yield _text(name, "\n".join(mark.join(row) for row in rows))
        mixed = [("text", "acl"), ("canary", "hr"), ("noon", "board"), ("x", "")]
        yield _text(name, "\n".join(mark.join(row) for row in mixed))
        yield _text(
            name, "\n".join(mark.join(row) for row in [("text", "acl"), ("canary", ""), ("noon", "")]), honest=False
        )
        yield _text(name, "\n".join(mark.join(row) for row in [("A title", ""), ("text", "acl"), ("canary", "hr")]))
    yield _text("pairs.csv", "key,value\ntitle,Pay\nacl,hr\n")
    yield _text("front.csv", "---\nacl: [hr]\n---\nid,text\n1,canary\n")
    yield _text("remark.csv", "# acl: hr\nid,text\n1,canary\n")


def _pages() -> Iterator[Form]:
    for name in ("acl", "ACL", "groups", "x-acl", "access-groups", "DC.acl".lower().replace("dc.", "meta.")):
        for key in ("name", "property", "itemprop", "http-equiv"):
            yield _text(
                "meta.html", f'<html><head><meta {key}="{name}" content="hr"></head><body><p>{BODY}</p></body></html>'
            )
    fronts = ("<pre>---\nacl: [hr]\n---\n</pre>", "<p>---</p><p>acl: [hr]</p><p>---</p>", "<p>--- acl: [hr] ---</p>")
    for front in (*fronts, "<p>acl: hr</p>"):
        yield _text("front.html", f"<html><body>{front}<p>{BODY}</p></body></html>")
    yield _text("site.html", f"---\nacl: [hr]\n---\n<!doctype html><html><body><p>{BODY}</p></body></html>")
    yield _text("site.html", f"---\nacl: [hr\n---\n<!doctype html><html><body><p>{BODY}</p></body></html>")
    yield _text("data.html", f'<html data-acl="hr"><body><p>{BODY}</p></body></html>')
    for element in (
        "<acl>hr</acl>",
        "<acl><group>hr</group></acl>",
        '<meta name="acl" content="hr"/>',
        '<e acl="hr">x</e>',
    ):
        yield _text("tree.xml", f"<?xml version='1.0'?><doc>{element}<p>{BODY}</p></doc>")
        yield _text("values.xml", f"<?xml version='1.0'?><doc>{element}<value>canary</value></doc>")
    cell = {"cell_type": "markdown", "source": f"---\nacl: [hr]\n---\n{BODY}"}
    plain = {"cell_type": "markdown", "source": BODY}
    books: tuple[dict[str, object], ...] = (
        {"cells": [cell]},
        {"cells": [{**cell, "cell_type": "raw"}, plain]},
        {"cells": [plain], "metadata": {"acl": ["hr"]}},
        {"cells": [plain], "metadata": {"rag": {"acl": "hr"}}},
        {"cells": [plain, {**plain, "metadata": {"acl": ["hr"]}}]},
        {"cells": [{"cell_type": "code", "source": "---\nacl: [hr]\n---\n"}, plain]},
    )
    for book in books:
        yield _text("book.ipynb", json.dumps(book))


def _message(header: str, body: str = BODY, attachment: str = "") -> bytes:
    message = email.message.EmailMessage()
    message["From"], message["Subject"] = "a@example.org", "Noon"
    if header:
        message[header] = "hr"
    message.set_content(body)
    if attachment:
        message.add_attachment(attachment.encode(), maintype="text", subtype="plain", filename="inner.txt")
    return message.as_bytes()


def _messages() -> Iterator[Form]:
    for header in ("X-ACL", "ACL", "x-acl", "X-Access-Groups", "X-Rag-Acl"):
        yield Form("mail.eml", _message(header))
        yield Form("attached.eml", _message(header, attachment=BODY))
    yield Form("mail.eml", _message("", f"---\nacl: [hr]\n---\n{BODY}"))
    yield Form("mail.eml", _message("", f"acl: hr\n\n{BODY}"))
    box = b"From a@example.org Mon Mar  2 10:00:00 2026\n" + _message("X-ACL") + b"\n"
    yield Form("box.mbox", box)


_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"


def _packages() -> Iterator[Form]:
    from tests.parse.builders import make_docx, make_pdf

    custom = (
        f'<?xml version="1.0"?><Properties xmlns="{_OFFICE}/custom-properties" '
        f'xmlns:vt="{_OFFICE}/docPropsVTypes"><property pid="2" name="{{}}">'
        "<vt:lpwstr>hr</vt:lpwstr></property></Properties>"
    )
    for name in ("acl", "ACL", "groups", "Access Groups"):
        yield Form("word.docx", _with(make_docx(), "docProps/custom.xml", custom.format(name)))
    yield Form("broken.docx", _with(make_docx(), "docProps/custom.xml", custom.format("acl")[:-9]))
    for key in ("acl", "ACL", "AccessGroups"):
        yield Form("info.pdf", _pdf(make_pdf([[(72, 72, 12, BODY)]]), key))
    yield Form("lines.pdf", make_pdf([[(72, 72, 12, "acl: hr"), (72, 120, 12, BODY)]]))
    yield Form("text.odt", _odt('<meta:user-defined meta:name="acl">hr</meta:user-defined>'))
    yield Form("book.epub", _epub('<meta name="acl" content="hr"/>'))
    yield Form("book.epub", _epub('<meta property="acl">hr</meta>'))
    yield Form("sheet.xlsx", _sheet())


def _with(package: bytes, part: str, content: str) -> bytes:
    stream = io.BytesIO(package)
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr(part, content)
    return stream.getvalue()


def _zip(parts: dict[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return stream.getvalue()


def _pdf(data: bytes, key: str) -> bytes:
    import pymupdf

    document = pymupdf.open(stream=data)
    xref = document.get_new_xref()
    document.update_object(xref, f"<< /Title (x) /{key} (hr) >>")
    document.xref_set_key(-1, "Info", f"{xref} 0 R")
    return bytes(document.tobytes())


_OASIS = "urn:oasis:names:tc:opendocument:xmlns:"


def _odt(meta: str) -> bytes:
    spaces = " ".join(f'xmlns:{name}="{_OASIS}{name}:1.0"' for name in ("office", "text", "meta"))
    body = f"<office:body><office:text><text:p>{BODY}</text:p></office:text></office:body>"
    return _zip(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:document-content {spaces}>{body}</office:document-content>",
            "meta.xml": f"<office:document-meta {spaces}><office:meta>{meta}</office:meta></office:document-meta>",
        }
    )


def _epub(meta: str) -> bytes:
    space = f'xmlns="{_OASIS}container"'
    roots = '<rootfiles><rootfile full-path="o.opf"/></rootfiles>'
    opf = 'xmlns="http://www.idpf.org/2007/opf"'
    item = '<manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
    return _zip(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": f"<container {space}>{roots}</container>",
            "o.opf": f'<package {opf}><metadata>{meta}</metadata>{item}<spine><itemref idref="a"/></spine></package>',
            "a.xhtml": f"<html><body><p>{BODY}</p></body></html>",
        }
    )


def _sheet() -> bytes:
    import xlsxwriter

    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate((("text", "acl"), ("canary", "hr"), ("noon", "hr"))):
            sheet.write_row(number, 0, row)
    return stream.getvalue()


def _containers() -> Iterator[Form]:
    yield Form("a.zip", _zip({"in/a.md": f"---\nacl: [hr]\n---\n{BODY}", "b.md": f"---\nacl: hr\n---\n{BODY}"}))
    yield Form("a.zip", _zip({"in/a.md": f"\n---yaml\nacl: [hr]\n---\n{BODY}"}))
    yield Form("a.zip", _zip({"a.jsonl": json.dumps({"name": BODY, "acl": ["hr"]})}))
    yield Form("a.eml", _message("X-ACL", attachment=f"---\nacl: [board]\n---\n{BODY}"))


def outcome(form: Form) -> str | None:
    """What is wrong with what comes of a form; None when it is closed as it should be."""
    items = list(read(Source(form.name, form.data), context_for(IngestConfig())))
    documents = [item for item in items if isinstance(item, Document)]
    reports = [item for item in items if isinstance(item, FileReport)]
    for document in documents:
        if not document.metadata.acl:
            return f"{document.doc_id} is public: {form.data[:80]!r}"
        if form.honest and not GROUPS.issuperset(document.metadata.acl):
            return f"{document.doc_id} is for {document.metadata.acl}: {form.data[:80]!r}"
    if not documents and not any(report.withheld and report.skipped for report in reports):
        return f"{form.name} is lost, but not as withheld: {[report.skipped for report in reports]}"
    return None


def run(tries: int, seed: int) -> Outcome:
    """Every form, or ``tries`` of them drawn by ``seed`` when there are more."""
    chosen = list(forms())
    if tries < len(chosen):
        chosen = random.Random(seed).sample(chosen, tries)
    failures = [wrong for form in chosen if (wrong := outcome(form)) is not None]
    return Outcome("access_forms", len(chosen), failures)
