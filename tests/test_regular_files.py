"""What is opened in an index folder: regular files in their own places, at once, and no more of them than may be."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from ragcli.errors import StoreError
from ragcli.regular_files import (
    check_file,
    check_folder,
    json_lines,
    make_folder,
    open_regular,
    parse_json,
    read_regular,
)

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX files")


def _bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


NO_FILES: dict[str, Callable[[Path], object]] = {
    "a named pipe": os.mkfifo,
    "a socket": _bind,
    "a folder": Path.mkdir,
    "a link": lambda path: path.symlink_to(path.parent / "secret"),
}


@pytest.fixture(params=NO_FILES, ids=str)
def no_file(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    (tmp_path / "secret").write_text("secret")
    path = tmp_path / "x"
    NO_FILES[request.param](path)
    return request.param, path


@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_CREAT | os.O_APPEND])
def test_what_is_no_file_is_named_and_never_waited_for(no_file: tuple[str, Path], flags: int) -> None:
    kind, path = no_file
    with pytest.raises(StoreError, match=f"is {kind}, expected a file") as caught:
        open_regular(path, flags)
    assert caught.value.hint
    with pytest.raises(StoreError, match=f"is {kind}"):
        check_file(path)
    with pytest.raises(StoreError, match=f"is {kind}"):
        list(json_lines(path))
    assert (path.parent / "secret").read_text() == "secret"


def test_a_device_is_named() -> None:
    with pytest.raises(StoreError, match="a device"):
        read_regular(Path("/dev/zero"), 10)


def test_a_link_to_a_folder_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert check_folder(tmp_path / "real")
    assert not check_folder(tmp_path / "nothing")
    for call in (check_folder, make_folder):
        with pytest.raises(StoreError, match="is a link, expected a folder"):
            call(tmp_path / "link")


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read_regular(tmp_path / "a", 5) == b"12345"
    with pytest.raises(StoreError, match="more than 4 bytes"):
        read_regular(tmp_path / "a", 4)
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "b", 4)
    with pytest.raises(StoreError, match="cannot be opened"):
        check_file(tmp_path / "a\0b")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "9" * 100_000, "", "{", b"\xff"])
def test_json_of_any_shape_is_a_value_or_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_json(text)


def test_lines_that_are_none_are_passed_over(tmp_path: Path) -> None:
    lines = [
        b'{"n": 1}',
        b"[" * 50_000,
        b"17",
        b'"text"',
        b"\xff\xfe",
        b'{"long": "' + b"x" * (17 << 20) + b'"}',
        b'{"n": 2}',
        b'{"n"',
    ]
    (tmp_path / "a").write_bytes(b"\n".join(lines))
    assert list(json_lines(tmp_path / "a")) == [{"n": 1}, {"n": 2}]
    assert list(json_lines(tmp_path / "b")) == []
