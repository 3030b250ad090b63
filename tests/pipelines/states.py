"""A folder of notes that goes from one state to the next, and whether an index serves one of them, whole."""

from __future__ import annotations

from pathlib import Path

from ragcli.index.folder import IndexFolder
from ragcli.records import Scope

FILES = 12
INGEST = ("ingest", "tree", "--index", "index", "--quiet", "--max-delete", "100")


def write_state(tree: Path, state: int) -> None:
    """Every file says which state it is of; one comes and one goes each time."""
    tree.mkdir(exist_ok=True)
    for number in range(FILES):
        text = f"# Note {number}\n\nThis note number {number} is of state{state}.\n\n## More\n\nIt has a second part.\n"
        (tree / f"note{number}.md").write_text(text)
    for path in tree.glob("extra*.md"):
        path.unlink()
    (tree / f"extra{state}.md").write_text(f"# Extra\n\nOnly in state{state}.\n")


def served_state(folder: Path) -> int:
    """The state that is served, checked to be one state, whole, in both legs; an AssertionError says what is wrong."""
    index = IndexFolder(folder / "index")
    faults = index.verify()
    assert faults == [], faults
    with index.open() as engine:
        names = engine.doc_ids()
        extra = [name for name in names if "extra" in name]
        assert len(extra) == 1, extra
        state = int(extra[0].rpartition("extra")[2].removesuffix(".md"))
        assert len(names) == FILES + 1, names
        assert all(f"state{state}." in engine.document(name).text for name in names), "documents of several states"
        allowed = engine.allowed(Scope())
        found = {hit.chunk_id.rpartition("#")[0] for hit in engine.lexical(f"state{state}", 100, allowed).hits}
        assert found == set(names), "BM25 of another state"
        hits = engine.dense(engine.vectors([f"{extra[0]}#1"])[0], 100, allowed)[0].hits
        assert len(hits) == allowed.count, "vectors of another state"
    return state
