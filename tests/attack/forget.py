"""Random sequences of adding, copying, changing, deleting, forgetting and ingesting, against a model of what is there.

After forgetting a name stands nowhere in the index folder, nor does a hash of its text unless a file that stays has the
same. After an ingest of everything each file is found, by itself or as the copy of a document of its text, and nothing
else is; whatever was forgotten before.
"""

from __future__ import annotations

import hashlib
import io
import random
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from ragcli.config import Config, IngestConfig
from ragcli.index.folder import IndexFolder
from ragcli.index.traces_of_text import search_folder
from ragcli.interfaces import Progress
from ragcli.parse.files.walk import SourceFile
from ragcli.parse.parsed import Parsed
from ragcli.parse.reading import context_for, read
from ragcli.parse.source import Source
from ragcli.pipelines.forget import forget
from ragcli.pipelines.ingesting import ingest_files
from ragcli.pipelines.ingesting.ingest import ingest
from ragcli.records import Document, FileReport
from ragcli.regular_files import read_at_most
from tests.attack import Outcome
from tests.index.corpus import MODEL, vectors
from tests.index.records import chunks

CONFIG = Config(ingest=IngestConfig(workers=1, near_duplicates=0.75))
STEPS = 14
WORDS = [f"{first}{second}" for first in ("ba", "de", "fi", "go", "hu") for second in ("lor", "min", "pet", "sul")]
_LIMIT = 1 << 24


def parse_here(files: Iterable[SourceFile], config: IngestConfig, progress: Progress | None = None) -> Iterator[Parsed]:
    """``parse_files`` without processes of its own: a sequence parses some twenty times."""
    for file in files:
        try:
            data = read_at_most(file.path, _LIMIT)
        except OSError as error:
            yield Parsed(file, "", (), (FileReport(file.relative, skipped=f"cannot be read: {error.strerror}"),))
            continue
        items = list(read(Source(file.relative, data), context_for(config)))
        documents = tuple(item for item in items if isinstance(item, Document))
        reports = tuple(item for item in items if isinstance(item, FileReport))
        yield Parsed(file, hashlib.sha256(data).hexdigest(), documents, reports)


@dataclass
class World:
    """A project of two roots and its index, with what was done to it so far."""

    folder: Path
    chance: random.Random
    done: list[str] = field(default_factory=list)
    made: int = 0

    @property
    def index(self) -> IndexFolder:
        return IndexFolder(self.folder / "index")

    @property
    def roots(self) -> list[Path]:
        return [self.folder / name for name in ("one", "two")]

    def files(self) -> list[Path]:
        return sorted(path for root in self.roots for path in root.rglob("*") if path.is_file())

    def texts(self) -> dict[str, str]:
        """What each document that should be there is called, with its text; an archive has one a member."""
        found = {}
        for path in self.files():
            name = path.name
            if path.suffix == ".zip":
                with zipfile.ZipFile(path) as archive:
                    found |= {f"{name}!{member}": archive.read(member).decode() for member in archive.namelist()}
            else:
                found[name] = path.read_text()
        return found

    # ------------------------------------------------------------ what happens to the files

    def step(self) -> None:
        """One random thing."""
        things = [self.add, self.copy, self.copy, self.copy, self.pack, self.change, self.delete, self.forget]
        things += [self.forget, self.ingest_one, self.ingest_all, self.ingest_all]
        self.chance.choice(things)()

    def _new_path(self, ending: str) -> Path:
        self.made += 1
        return self.chance.choice(self.roots) / f"nm{self.made:03d}{self.chance.randrange(10**6):06d}q{ending}"

    def _text(self) -> str:
        words = self.chance.choices(WORDS, k=self.chance.choice([3, 30]))
        return " ".join(words) + self.chance.choice(["", " limit seven", " limit 7"])

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text)
        self.done.append(f"write {path.name} {text[:20]!r}")

    def add(self) -> None:
        self._write(self._new_path(".txt"), self._text())

    def copy(self) -> None:
        texts = self.texts()
        if texts:
            text = texts[self.chance.choice(sorted(texts))]
            near = self.chance.choice(["", "", " indeed"]) if len(text) > 100 else ""
            self._write(self._new_path(".txt"), text + near)

    def pack(self) -> None:
        texts = self.texts()
        if not texts:
            return
        path, content = self._new_path(".zip"), io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            archive.writestr(f"in{self.made}a.txt", texts[self.chance.choice(sorted(texts))])
            archive.writestr(f"in{self.made}b.txt", self._text())
        path.write_bytes(content.getvalue())
        self.done.append(f"pack {path.name}")

    def change(self) -> None:
        plain = [path for path in self.files() if path.suffix == ".txt"]
        if plain:
            self._write(self.chance.choice(plain), self._text())

    def delete(self) -> None:
        if self.files():
            path = self.chance.choice(self.files())
            path.unlink()
            self.done.append(f"delete {path.name}")

    # ------------------------------------------------------------ what happens to the index

    def ingest_one(self) -> None:
        self._ingest([self.chance.choice(self.roots)])

    def ingest_all(self) -> None:
        self._ingest(self.roots)
        self.check_found()

    def _ingest(self, roots: Sequence[Path]) -> None:
        self.done.append(f"ingest {' '.join(root.name for root in roots)}")
        with self.index.writer() as writer:
            ingest(roots, config=CONFIG, writer=writer, max_delete=100)
            staging = writer.staging
            for doc_id in staging.unchunked():
                document = staging.document(doc_id)
                staging.put_chunks(doc_id, staging.document_keys()[doc_id], "c", chunks(document, 10_000))
            writer.publish(embedder=MODEL, vectors=vectors, config=CONFIG)

    def forget(self) -> None:
        known = self.known()
        if not known:
            return
        names = self.chance.sample(sorted(known), min(len(known), self.chance.choice([1, 1, 2])))
        if self.chance.random() < 0.2:
            names = [name.partition("!")[0] for name in names]
        self.done.append(f"forget {' '.join(names)}")
        with self.index.writer() as writer:
            result = forget(names, writer=writer, config=CONFIG)
        gone = {name for name in known for asked in names if name == asked or name.startswith(asked + "!")}
        if set(result.doc_ids) != gone:
            raise AssertionError(f"forgot {result.doc_ids}, not {sorted(gone)}")
        self.check_nowhere(gone, known)
        if self.chance.random() < 0.7:
            for path in self.files():
                if path.name in gone or any(name.startswith(path.name + "!") for name in gone):
                    path.unlink()
                    self.done.append(f"delete {path.name}")

    def known(self) -> dict[str, set[str]]:
        """Every name in some version or staged, with the texts it has there as a document."""
        found: dict[str, set[str]] = {}
        for version in self.index.versions():
            with self.index.open(version.version) as engine:
                for doc_id in engine.doc_ids():
                    document = engine.document(doc_id)
                    for name in document.also_in:
                        found.setdefault(name, set())
                    found.setdefault(doc_id, set()).add(document.text)
        with self.index.writer() as writer:
            for look in writer.staging.notes.all_looks():
                found.setdefault(look.doc_id, set())
        return found

    # ------------------------------------------------------------ what must hold

    def check_nowhere(self, gone: set[str], known: dict[str, set[str]]) -> None:
        """No name that was forgotten, and no hash of its text unless it is that of another, is in any byte."""
        left = self.known()
        if again := gone & left.keys():
            raise AssertionError(f"{sorted(again)} are still there")
        names = [name for name in gone if not any(name in other for other in left)]
        if places := search_folder(self.index.path, names)[1]:
            raise AssertionError(f"the name of one of {names} stands in {places}")
        stay = {hashed for texts in left.values() for text in texts for hashed in _hashes(text)}
        hashes = {hashed for name in gone for text in known[name] for hashed in _hashes(text)} - stay
        if places := search_folder(self.index.path, sorted(hashes))[1]:
            raise AssertionError(f"a hash of the text of one of {sorted(gone)} stands in {places}")

    def check_found(self) -> None:
        """Every file, and nothing else, is found."""
        wanted = self.texts()
        with self.index.open() as engine:
            documents = [engine.document(doc_id) for doc_id in engine.doc_ids()]
        found = {document.doc_id: document.text for document in documents}
        merged = {name: document.text for document in documents for name in document.also_in}
        if missing := wanted.keys() - found.keys() - merged.keys():
            raise AssertionError(f"{sorted(missing)} are not found")
        if extra := (found.keys() | merged.keys()) - wanted.keys():
            raise AssertionError(f"{sorted(extra)} are found and are not there")
        if wrong := [name for name, text in found.items() if text.strip() != wanted[name].strip()]:
            raise AssertionError(f"{wrong} have another text")
        for name, text in merged.items():
            if not _alike(text, wanted[name]):
                raise AssertionError(f"{name} is merged with another text")
        if faults := self.index.verify():
            raise AssertionError(f"faults: {faults}")


def _alike(text: str, other: str) -> bool:
    """Whether two texts have about as many runs of three words in common as copies must have."""
    runs = [{tuple(words[n : n + 3]) for n in range(max(1, len(words) - 2))} for words in (text.split(), other.split())]
    return len(runs[0] & runs[1]) >= 0.6 * len(runs[0] | runs[1])


def _hashes(text: str) -> list[str]:
    return [
        hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:32],
        hashlib.sha256(text.encode()).hexdigest(),
    ]


def run(tries: int, seed: int) -> Outcome:
    """So many sequences of fourteen steps, each ended by an ingest of everything."""
    failures = []
    for number in range(tries):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(ingest_files, "parse_files", parse_here):
            world = World(Path(folder), random.Random(f"{seed}-{number}"))
            for root in world.roots:
                root.mkdir()
            try:
                for _ in range(STEPS):
                    world.step()
                world.ingest_all()
            except AssertionError as error:
                failures.append(f"sequence {number}: {error} after {'; '.join(world.done)}")
    return Outcome("forget", tries, failures)
