from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from ragcli.config import IngestConfig
from ragcli.errors import SourceError
from ragcli.parse.files.walk import SourceFile, glob_pattern, walk
from ragcli.records import FileReport
from tests.parse.builders import write_tree


def met(root: Path, config: IngestConfig | None = None, under: str = "") -> dict[str, str | None]:
    """Relative path → the reason it was skipped, None for a readable file."""
    items = walk(root, config or IngestConfig(), under)
    return {item.relative: None for item in items if isinstance(item, SourceFile)} | {
        item.path: item.skipped for item in walk(root, config or IngestConfig(), under) if isinstance(item, FileReport)
    }


def test_files_come_sorted_and_excluded_ones_do_not(tmp_path: Path) -> None:
    names = ["b.md", "a/z.md", "a/b.md", ".hidden/x.md", "sub/node_modules/p.js", "a/.git/c"]
    write_tree(tmp_path, dict.fromkeys(names, "x"))
    assert list(met(tmp_path)) == ["a/b.md", "a/z.md", "b.md"]
    assert list(met(tmp_path, IngestConfig(hidden=True, exclude=(".git/**",)))) == [
        ".hidden/x.md",
        "a/b.md",
        "a/z.md",
        "b.md",
        "sub/node_modules/p.js",
    ]
    assert list(met(tmp_path, under="a")) == ["a/b.md", "a/z.md"]
    assert list(met(tmp_path, IngestConfig(include=("a/**",)))) == ["a/b.md", "a/z.md"]


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("hr/**", "hr/a/b.md", True),
        ("hr/**", "x/hr/b.md", True),
        ("/hr/**", "hr/b.md", True),
        ("a/hr/**", "x/a/hr/b.md", False),
        ("*.md", "deep/down/x.md", True),
        ("docs/*.md", "docs/a/x.md", False),
        ("docs/**/x.md", "docs/x.md", True),
        ("[ab].txt", "b.txt", True),
        ("[ab].txt", "c.txt", False),
    ],
)
def test_globs(glob: str, path: str, fits: bool) -> None:
    assert bool(glob_pattern(glob).match(path)) is fits


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    write_tree(tmp_path, {"good.txt": "x", "big.txt": b"x" * 3_000_000, "folder/in.txt": "x"})
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        found = met(tmp_path, IngestConfig(max_file_mb=2))
    assert found["good.txt"] is None
    assert "over ingest.max_file_mb" in str(found["big.txt"])
    assert "loop" in str(found["loop"])
    assert "No such file" in str(found["dangling"])
    assert "not a regular file" in str(found["pipe"])
    assert "not a regular file" in str(found["s"])


def test_odd_names_survive_and_stay_apart(tmp_path: Path) -> None:
    for name in [b"new\nline.txt", b"raw\xff.txt", "e\u0301.txt".encode(), "\u00e9.txt".encode(), b"u\xcc\x88.txt"]:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x")
    assert set(met(tmp_path)) == {"new%0Aline.txt", "raw%FF.txt", "e\u0301.txt", "\u00e9.txt", "\u00fc.txt"}


def test_a_missing_root_is_an_error_and_a_file_is_a_root(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="nowhere"):
        list(walk(tmp_path / "nowhere", IngestConfig()))
    write_tree(tmp_path, {"one.md": "x"})
    assert list(met(tmp_path / "one.md")) == ["one.md"]


def test_links_stay_inside_the_root(tmp_path: Path) -> None:
    write_tree(tmp_path, {"root/a/x.txt": "x", "outside/secret.txt": "s"})
    root = tmp_path / "root"
    (root / "inner").symlink_to(root / "a")
    (root / "up").symlink_to(tmp_path)
    (root / "file.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    found = met(root)
    assert {name for name, reason in found.items() if reason is None} == {"a/x.txt", "inner/x.txt"}
    assert "out of the folder" in str(found["up"]) and "out of the folder" in str(found["file.txt"])
