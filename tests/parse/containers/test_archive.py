from __future__ import annotations

import gzip
import io
import tarfile
from typing import IO

import pytest

from ragcli.config import IngestConfig
from ragcli.parse.containers import archive
from ragcli.parse.source import Context
from ragcli.records import FileReport
from tests.parse.builders import make_zip, parse_bytes


def texts(name: str, data: bytes, config: IngestConfig | None = None) -> dict[str, str]:
    return {document.doc_id: document.text for document in parse_bytes(name, data, config)[0]}


def skipped(name: str, data: bytes, config: IngestConfig | None = None) -> dict[str, str]:
    return {report.path: report.skipped for report in parse_bytes(name, data, config)[1] if report.skipped}


def test_entries_are_documents_and_paths_stay_inside() -> None:
    inner = make_zip({"deep.md": "# Deep"})
    data = make_zip({"a/b.txt": "text", "../../etc/x.txt": "slip", "in.zip": inner, "__MACOSX/a": "no", "d/": ""})
    assert texts("o.zip", data) == {
        "o.zip!a/b.txt": "text",
        "o.zip!etc/x.txt": "slip",
        "o.zip!in.zip!deep.md": "# Deep",
    }
    assert skipped("o.zip", data) == {}


def test_depth_is_limited_and_named() -> None:
    data = make_zip({"x.txt": "deepest"})
    for level in range(3):
        data = make_zip({f"{level}.zip": data})
    assert texts("o.zip", data, IngestConfig(archive_depth=4)) == {"o.zip!2.zip!1.zip!0.zip!x.txt": "deepest"}
    assert "archive_depth = 2" in skipped("o.zip", data, IngestConfig(archive_depth=2))["o.zip!2.zip!1.zip!0.zip"]


def test_a_bomb_is_refused_while_it_is_unpacked() -> None:
    bomb = make_zip({"ok.txt": "fine", "zeros.txt": b"0" * 5_000_000})
    assert len(bomb) < 10_000
    found = skipped("o.zip", bomb, IngestConfig(archive_unpacked_mb=2))
    assert found == {"o.zip": "o.zip!zeros.txt: unpacks to too much data (ingest.archive_unpacked_mb)"}
    assert texts("o.zip", bomb, IngestConfig(archive_unpacked_mb=2)) == {"o.zip!ok.txt": "fine"}


def test_an_entry_larger_than_a_file_may_be_is_passed_over_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    small = IngestConfig(max_file_mb=1)
    large = b"0" * 3_000_000
    content = {"a.txt": b"first", "zeros.txt": large, "z.txt": b"last"}
    around = {"o.zip!a.txt": "first", "o.zip!z.txt": "last"}
    with monkeypatch.context() as patched:  # what is declared too large is not unpacked at all
        patched.setattr(archive, "_bounded", _only_small)
        assert texts("o.zip", make_zip(content), small) == around
        assert skipped("o.zip", make_zip(content), small) == {"o.zip!zeros.txt": "3 MB, over ingest.max_file_mb = 1"}
        assert texts("o.tgz", make_tar(content), small) == {"o.tgz!a.txt": "first", "o.tgz!z.txt": "last"}
        assert skipped("o.tgz", make_tar(content), small) == {"o.tgz!zeros.txt": "3 MB, over ingest.max_file_mb = 1"}
    found = skipped("n.txt.gz", gzip.compress(large), small)
    assert found["n.txt.gz!n.txt"] == "at least 1 MB, over ingest.max_file_mb = 1"
    assert texts("n.txt.gz", gzip.compress(b"0" * 900_000), small) == {"n.txt.gz!n.txt": "0" * 900_000}
    _, reports = parse_bytes("o.zip", make_zip(content), small)
    assert reports[-1].conditions == ("ingest.max_file_mb=1",)


def test_a_large_entry_of_a_packed_tar_counts_as_unpacked() -> None:
    content = {"a.txt": b"first", "zeros.txt": b"0" * 3_000_000, "z.txt": b"last"}
    limits = IngestConfig(max_file_mb=1, archive_unpacked_mb=2)
    assert texts("o.tgz", make_tar(content), limits) == {"o.tgz!a.txt": "first"}
    assert "unpacks to too much data" in skipped("o.tgz", make_tar(content), limits)["o.tgz"]


def _only_small(stream: IO[bytes], context: Context, doc_id: str) -> bytes | FileReport:
    assert doc_id.endswith(("a.txt", "z.txt"))
    return stream.read()


def make_tar(content: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for name, data in content.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def test_entries_are_counted_over_all_levels() -> None:
    data = make_zip({f"{place}.zip": make_zip({f"{n}.txt": f"{place}{n}" for n in range(5)}) for place in range(5)})
    assert len(texts("o.zip", data, IngestConfig(archive_entries=30))) == 25
    limited = IngestConfig(archive_entries=12)
    assert len(texts("o.zip", data, limited)) < 12
    assert any("archive_entries" in reason for reason in skipped("o.zip", data, limited).values())


def test_an_archive_that_holds_itself_is_refused() -> None:
    from ragcli.parse.reading import context_for, read
    from ragcli.parse.source import Source
    from ragcli.records import FileReport

    data = make_zip({"x.txt": "text"})
    import hashlib

    around = Source("o.zip", make_zip({"in.zip": data}), ancestors=(hashlib.sha256(data).hexdigest(),))
    reports = [item for item in read(around, context_for(IngestConfig())) if isinstance(item, FileReport)]
    assert [(r.path, r.skipped) for r in reports if r.skipped] == [("o.zip!in.zip", "an archive that holds itself")]


def test_tar_with_links_and_gzip() -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, content in (("a.txt", b"text"), ("caf\u00e9.txt", b"more")):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    assert texts("o.tgz", stream.getvalue()) == {"o.tgz!a.txt": "text", "o.tgz!caf\u00e9.txt": "more"}
    assert skipped("o.tgz", stream.getvalue()) == {"o.tgz!link.txt": "a link or device in an archive, not followed"}
    assert texts("n.txt.gz", gzip.compress(b"single")) == {"n.txt.gz!n.txt": "single"}


def test_names_in_an_old_code_page() -> None:
    name = "审计压缩包文件检索.txt".encode("gb18030")
    data = make_zip({"x" * len(name): "text"}).replace(b"x" * len(name), name)
    assert texts("o.zip", data) == {"o.zip!审计压缩包文件检索.txt": "text"}


def test_a_damaged_archive_says_so() -> None:
    good = make_zip({"a.txt": "text " * 500})
    assert "not a readable ZIP" in skipped("o.zip", good[: len(good) // 2])["o.zip"]
    assert "damaged" in skipped("o.txt.gz", gzip.compress(b"text" * 500)[:20])["o.txt.gz"]
