"""Office files with some of their XML torn out, doubled, moved or given other values: nothing escapes the reader.

A file may be skipped with its reason or read in part; an error that leaves the reader, or one that takes long, got
through.
"""

from __future__ import annotations

import copy
import io
import random
import time
import zipfile

from lxml import etree

from tests.attack import Outcome
from tests.parse.builders import make_docx, make_pptx, make_xlsx, make_zip, parse_bytes

VALUES = ("", "-1", "99999999999", "x", "é", "1.5", "true", "0", "rId1", " ", "10000")
LONGEST_SECONDS = 20.0


def files() -> list[tuple[str, bytes]]:
    """A file of each kind."""
    from tests.parse.office.test_opendocument import CHART, HIDING, SHEETS, file
    from tests.parse.office.test_word import PARTS, drawing
    from tests.parse.office.test_word_numbers import CASES
    from tests.parse.office.word_files import word

    body = drawing('<dgm:relIds r:dm="d"/>') + drawing('<c:chart r:id="c"/>') + '<w:altChunk r:id="h"/>'
    frame = '<text:p>a<draw:frame><draw:object xlink:href="./Obj"/></draw:frame></text:p>'
    return [
        ("a.docx", make_docx()),
        ("b.docx", CASES["headings and clauses"][0]),
        ("c.docx", word(body, parts=PARTS)),
        ("a.pptx", make_pptx()),
        ("a.xlsx", make_xlsx()),
        ("a.odt", file(frame, Obj=CHART)),
        ("a.ods", file(SHEETS, "spreadsheet", styles=HIDING)),
    ]


def run(tries: int, seed: int) -> Outcome:
    """Files that broke the reader or kept it busy."""
    chance = random.Random(seed)
    whole = files()
    failures = []
    for number in range(tries):
        name, data = whole[number % len(whole)]
        broken = torn(data, chance)
        started = time.process_time()
        try:
            _, reports = parse_bytes(name, broken)
        except Exception as error:  # whatever it is: that is what is looked for
            failures.append(f"{name}, try {number}: {type(error).__name__}: {error}")
            continue
        if not reports:
            failures.append(f"{name}, try {number}: no report")
        if time.process_time() - started > LONGEST_SECONDS:
            failures.append(f"{name}, try {number}: {time.process_time() - started:.0f} s")
    return Outcome("office_files", tries, failures)


def torn(data: bytes, chance: random.Random) -> bytes:
    """A package with two of its parts changed."""
    package = zipfile.ZipFile(io.BytesIO(data))
    parts: dict[str, str | bytes] = {item.filename: package.read(item) for item in package.infolist()}
    names = [
        name for name in parts if name.endswith((".xml", ".rels")) and "theme" not in name and "Layout" not in name
    ]
    for name in chance.sample(names, min(2, len(names))):
        parts[name] = _changed(package.read(name), chance)
    return make_zip(parts)


def _changed(content: bytes, chance: random.Random) -> bytes:
    root = etree.fromstring(content)
    for _ in range(chance.randrange(1, 8)):
        elements = [node for node in root.iter() if isinstance(node.tag, str)]
        node, other = chance.choice(elements), chance.choice(elements)
        parent = node.getparent()
        change = chance.randrange(6)
        if change == 0 and node.attrib:
            del node.attrib[chance.choice(list(node.attrib))]
        elif change == 1 and node.attrib:
            node.attrib[chance.choice(list(node.attrib))] = chance.choice(VALUES)
        elif change == 2 and parent is not None:
            parent.remove(node)
        elif change == 3 and parent is not None:
            parent.append(copy.deepcopy(node))
        elif change == 4 and parent is not None and node not in list(other.iterancestors()) and node is not other:
            other.append(node)
        elif change == 5:
            node.text = chance.choice(VALUES)
    result: bytes = etree.tostring(root)
    return result
