from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from ragcli.errors import StoreError
from ragcli.index.segments.segment import map_array


def test_an_array_comes_back_mapped(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(6, dtype="<i8"))
    found = map_array(tmp_path / "a.npy", "<i8", 1)
    assert isinstance(found.base, np.memmap)
    assert not found.flags.writeable
    assert found.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(("kind", "dimensions"), [("<i4", 1), ("<i8", 2), ("<f8", 1)])
def test_another_kind_is_told_with_both_values(tmp_path: Path, kind: str, dimensions: int) -> None:
    np.save(tmp_path / "a.npy", np.arange(6, dtype="<i8"))
    with pytest.raises(StoreError, match=f"holds <i8 in 1 dimensions, expected {kind} in {dimensions}"):
        map_array(tmp_path / "a.npy", kind, dimensions)


def test_several_arrays_and_objects_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "z.npz", np.arange(2))
    (tmp_path / "z.npz").rename(tmp_path / "z.npy")
    np.save(tmp_path / "o.npy", np.array([{}], dtype=object), allow_pickle=True)
    for name in ("z.npy", "o.npy", "missing.npy"):
        with pytest.raises(StoreError):
            map_array(tmp_path / name, "<i8", 1)


@pytest.mark.parametrize("shape", ["(-1,)", "(1180591620717411303424,)", "(99999999999,)", "(2", "(x,)", "()", "[6]"])
def test_shapes_that_cannot_be_are_refused(tmp_path: Path, shape: str) -> None:
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(48)
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(StoreError):
        map_array(tmp_path / "a.npy", "<i8", 1)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_any_header_is_an_array_or_a_store_error(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(6, dtype="<i8"))
    content, draw = (tmp_path / "a.npy").read_bytes(), random.Random(0)
    refused = 0
    for number in range(1_000):
        damaged = bytearray(content)
        for _ in range(draw.choice((1, 1, 2, 16))):
            damaged[draw.randrange(128)] = draw.choice((draw.randrange(256), *b"()'\"{}\\\n#,"))
        path = tmp_path / f"{number % 10}.npy"
        path.write_bytes(damaged)
        try:
            assert map_array(path, "<i8", 1).ndim == 1
        except StoreError:
            refused += 1
    assert refused > 300
