from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest

from ragcli.config import IngestConfig
from ragcli.errors import SourceError
from ragcli.parse.files.globs import glob_pattern
from ragcli.parse.files.walk import Ignored, SourceFile, on_disk, place_in, walk
from ragcli.records import FileReport
from ragcli.regular_files import open_named
from tests.attack.walk import run
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
    assert {name for name, reason in found.items() if reason is None} == {"a/x.txt"}
    assert found["inner"] == "a link to a, which is read there"
    assert "out of the folder" in str(found["up"]) and "out of the folder" in str(found["file.txt"])


def files(root: Path, under: str = "") -> dict[str, tuple[str, ...]]:
    """Relative path → the other paths by which the file is reached, the real one first where it is another."""
    return {
        i.relative: (*filter(None, [i.real]), *i.aliases)
        for i in walk(root, IngestConfig(), under)
        if isinstance(i, SourceFile)
    }


def link(path: Path, target: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


@pytest.mark.parametrize("count", [8, 18, 60])
def test_folders_with_links_to_one_another_are_entered_once(tmp_path: Path, count: int) -> None:
    write_tree(tmp_path, {f"f{n}/x.md": str(n) for n in range(count)})
    for n in range(count):
        for name in ("a", "b"):
            link(tmp_path / f"f{n}" / name, f"../f{(n + 1) % count}")
    found = met(tmp_path)
    assert len(found) == 3 * count
    assert sum(reason is None for reason in found.values()) == count


def test_a_link_is_read_where_its_target_is_and_under_its_own_name_when_that_is_not_read(tmp_path: Path) -> None:
    write_tree(tmp_path, {"real/x.md": "x", ".hidden/deep/y.md": "y", "kept/z.md": "z"})
    link(tmp_path / "a-link", "real")
    link(tmp_path / "b-link.md", "real/x.md")
    link(tmp_path / "shown", ".hidden/deep")
    link(tmp_path / "y.md", ".hidden/deep/y.md")
    link(tmp_path / "kept/in", "../a-link")
    assert files(tmp_path) == {
        "kept/z.md": (),
        "real/x.md": ("a-link/x.md", "b-link.md", "kept/in/x.md"),
        "shown/y.md": (".hidden/deep/y.md", "y.md"),
    }
    assert list(files(tmp_path, "kept")) == ["kept/z.md", "real/x.md"]
    assert list(files(tmp_path, "real")) == ["real/x.md"]


def test_a_link_does_not_lead_around_what_is_left_out(tmp_path: Path) -> None:
    write_tree(tmp_path, {"node_modules/p/a.md": "x", "build/b.md": "x", ".gitignore": "build/\n", "c.md": "c"})
    link(tmp_path / "package", "node_modules/p")
    link(tmp_path / "b.md", "build/b.md")
    found = met(tmp_path)
    assert {name for name, reason in found.items() if reason is None} == {"c.md"}
    assert found["package"] == "a link to what ingest.exclude leaves out"
    assert found["b.md"] == "a link to what .gitignore: build/ leaves out"


@pytest.mark.parametrize(
    "names",
    [
        [b"inv%FF.md", b"inv\xff.md", b"inv%25FF.md", b"inv%2525FF.md"],
        [b"a%0A.md", b"a\n.md", b"%%0A", b"%\n", b"%F\xff", b"%FF\xff", b"%ff"],
    ],
)
def test_no_two_names_are_shown_alike(tmp_path: Path, names: list[bytes]) -> None:
    for name in names:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x")
    found = files(tmp_path)
    assert len(found) == len(names)
    met_files = [item for item in walk(tmp_path, IngestConfig()) if isinstance(item, SourceFile)]
    assert all(on_disk(tmp_path, item.relative) == item.path for item in met_files)


def test_ordinary_percent_signs_stay(tmp_path: Path) -> None:
    write_tree(tmp_path, {"100% cotton.md": "x", "my%20file.md": "x"})
    assert list(files(tmp_path)) == ["100% cotton.md", "my%20file.md"]


def ignored(root: Path, **settings: bool) -> tuple[list[str], dict[str, str]]:
    items = list(walk(root, IngestConfig(**settings)))  # type: ignore[arg-type]
    rules = {item.path: item.rule for item in items if isinstance(item, Ignored)}
    return [item.relative for item in items if isinstance(item, SourceFile)], rules


def test_ignore_files_are_honoured_nested_and_negated(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            ".gitignore": "\ufeff*.log\n/build/\n!keep.log\nsub/only.md\n[\n",
            "a.log": "x",
            "keep.log": "x",
            "build/x.md": "x",
            "sub/build/y.md": "x",
            "sub/only.md": "x",
            "sub/.gitignore": "!b.log\r\n*.tmp\r\n",
            "sub/b.log": "x",
            "sub/c.tmp": "x",
            "sub/deep/d.tmp": "x",
            "other/e.tmp": "x",
            "other/.ignore": "!f.log\ng.md\n",
            "other/f.log": "x",
            "other/g.md": "x",
        },
    )
    read, rules = ignored(tmp_path)
    assert read == ["keep.log", "other/e.tmp", "other/f.log", "sub/b.log", "sub/build/y.md"]
    assert rules == {
        "a.log": ".gitignore: *.log",
        "build": ".gitignore: /build/",
        "other/g.md": "other/.ignore: g.md",
        "sub/c.tmp": "sub/.gitignore: *.tmp",
        "sub/deep/d.tmp": "sub/.gitignore: *.tmp",
        "sub/only.md": ".gitignore: sub/only.md",
    }
    assert len(ignored(tmp_path, gitignore=False)[0]) == 11


def test_the_rules_of_the_repository_around_a_root_hold_but_not_against_the_root_itself(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/HEAD": "x", ".gitignore": "*.log\nbuild/\n", "docs/a.log": "x", "docs/a.md": "x"})
    write_tree(tmp_path, {"build/docs/b.log": "x", "build/docs/b.md": "x", "../outside.md": "x"})
    (tmp_path.parent / ".gitignore").write_text("*.md\n")
    assert ignored(tmp_path / "docs") == (["a.md"], {"a.log": "../.gitignore: *.log"})
    assert ignored(tmp_path / "build" / "docs") == (["b.md"], {"b.log": "../../.gitignore: *.log"})


@pytest.mark.parametrize("pattern", ["*a" * 30 + "b", "**/a/" * 8 + "b", "a*" * 100 + "b"])
def test_a_pattern_made_to_take_for_ever_does_not(tmp_path: Path, pattern: str) -> None:
    write_tree(tmp_path, {".gitignore": pattern + "\n", "a" * 250: "x", "a/" * 300 + "c": "x"})
    started = time.monotonic()
    assert len(ignored(tmp_path)[0]) == 2
    assert time.monotonic() - started < 20


def test_a_line_that_is_no_pattern_is_named(tmp_path: Path) -> None:
    write_tree(tmp_path, {".gitignore": "[z-a]x\n*.log\n", "a.log": "x", "b.md": "x"})
    reports = [item for item in walk(tmp_path, IngestConfig()) if isinstance(item, FileReport)]
    assert [(r.path, r.warnings, r.lost) for r in reports] == [
        (".gitignore", ("no pattern, passed by: [z-a]x",), False)
    ]
    assert ignored(tmp_path)[0] == ["b.md"]


def test_an_ignore_file_that_is_a_pipe_is_not_waited_on(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "x"})
    os.mkfifo(tmp_path / ".gitignore")
    assert list(files(tmp_path)) == ["a.md"]


def test_pipes_and_devices_are_named_behind_links_and_as_a_root(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    link(tmp_path / "to-pipe", "pipe")
    found = met(tmp_path)
    assert "not a regular file" in str(found["pipe"])
    assert found["to-pipe"] == "a link to pipe, which is read there"
    assert "not a regular file" in str(met(tmp_path / "pipe")["pipe"])
    assert "not a regular file" in str(met(tmp_path / "to-pipe")["to-pipe"])
    assert "not a regular file" in str(met(Path("/dev/zero"))["zero"])


def test_a_file_that_became_a_pipe_or_a_link_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    link(tmp_path / "a.md", "/etc/hostname")
    done = threading.Event()

    def attempt() -> None:
        for name in ("pipe", "a.md"):
            with pytest.raises(OSError):
                open_named(tmp_path / name, follow=False)
        done.set()

    threading.Thread(target=attempt, daemon=True).start()
    assert done.wait(10)


@pytest.mark.parametrize(
    "marks",
    [{"CURRENT": "v000001\n", "versions/v000001/manifest.json": "{}"}, {"LOCK": "", "staging/catalog.sqlite": ""}],
)
def test_an_index_folder_is_known_whatever_it_is_called(tmp_path: Path, marks: dict[str, str]) -> None:
    write_tree(tmp_path, {f"answers/{name}": content for name, content in marks.items()} | {"a.md": "x"})
    assert met(tmp_path) == {"a.md": None, "answers": "an index folder of ragcli"}
    assert met(tmp_path / "answers") == {".": "an index folder of ragcli"}


def test_folders_nested_deeper_than_python_calls_are_read() -> None:
    tmp_path = Path(tempfile.mkdtemp())
    folder = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(os.open("x.md", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    os.close(folder)
    try:
        found = met(tmp_path)
    finally:
        subprocess.run(["rm", "-rf", str(tmp_path)], check=True)  # deeper than Python's own removal goes
    assert list(found.values()) == [None]


def test_the_place_of_a_path_in_a_root(tmp_path: Path) -> None:
    write_tree(tmp_path, {".gitignore": "build/\n", "build/x.md": "x", ".h/y.md": "y", "e\u0301/z.md": "z"})
    config = IngestConfig()
    assert place_in(tmp_path, config, tmp_path) == ""
    assert place_in(tmp_path, config, tmp_path / "e\u0301" / "z.md") == "\u00e9/z.md"
    assert place_in(tmp_path, config, tmp_path / "build" / "x.md") is None
    assert place_in(tmp_path, config, tmp_path / ".h") is None


def test_generated_trees() -> None:
    assert run(tries=60, seed=1).failures == []
