"""The shape of the code: one-way flow, one owner per library, late imports, pure centres, small pieces."""

from __future__ import annotations

import ast
import fnmatch
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragcli.language.lexicon import LANGUAGES, lexicon, spelled_out

ROOT = Path(__file__).resolve().parents[1] / "ragcli"
MODULES = sorted(ROOT.rglob("*.py"))
STAGES = ("parse", "chunk", "embed", "index", "retrieve", "tables", "answer", "evaluate")
SHARED = (
    "records",
    "errors",
    "config",
    "interfaces",
    "late_names",
    "codec",
    "language",
    "names",
    "filters",
    "quotes",
    "prices",
    "telemetry",
    "display",
    "plugins",
    "regular_files",
)

OWNERS = {
    "tantivy": ("index.lexical.bm25", "index.lexical.writing"),
    "hnswlib": ("index.dense.vectors",),
    "pymupdf": (
        "parse.pdf.document",
        "parse.pdf.page",
    ),
    "chardet": ("parse.decode",),
    "trafilatura": ("parse.web.html",),
    "cssselect2": ("parse.web.styles",),
    "docutils": ("parse.text.restructured",),
    "pyphen": ("parse.pdf.hyphens",),
    "icalendar": ("parse.containers.invitations",),
    "tinycss2": ("parse.web.styles", "parse.web.hidden_elements"),
    "markdown_it": ("parse.text.markdown",),
    "fasttext": ("parse.language",),
    "docx": ("parse.office.word.document",),
    "pptx": ("parse.office.slides",),
    "python_calamine": ("parse.office.sheets.workbook",),
    "xlrd": ("parse.office.sheets.legacy",),
    "oxmsg": ("parse.containers.outlook",),
    "msoffcrypto": ("parse.office.protected",),
    "rapidocr": ("parse.pdf.ocr",),
    "datasketch": ("parse.duplicates",),
    "pathspec": ("parse.files.ignoring",),
    "fitz": (),
    "anthropic": ("answer.model.anthropic",),
    "openai": ("answer.model.openai",),
    "httpx2": ("answer.model.connection",),
    "huggingface_hub": ("embed.hub",),
    "transformers": ("embed.", "retrieve.rerank"),
    "safetensors": ("embed.", "retrieve.rerank"),
    "onnx": ("embed.bert_graph",),
    "Stemmer": ("language.stems",),
    "sqlite3": ("index.",),
    "duckdb": ("tables.process",),
    "filelock": ("index.publishing.lock",),
    "platformdirs": ("embed.remembered",),
    "psycopg": ("index.postgres.database",),
    "pgvector": ("index.postgres.database",),
    "sentencex": ("language.sentences",),
    "lxml": ("parse.",),
    "olefile": ("parse.containers.outlook",),
    "sentence_transformers": ("embed.", "retrieve.rerank"),
    "torch": ("embed.",),
    "onnxruntime": ("embed.",),
    "tokenizers": ("embed.",),
    "yaml": ("config.",),
    "typer": ("cli.",),
    "rich": ("cli.",),
    "pickle": (),
}
"""Who may import a library: prefixes of module names."""

SLOW = ("numpy", "tantivy", "hnswlib", "pymupdf", "torch", "sentence_transformers", "onnxruntime", "anthropic", "rich")


def name_of(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts)


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Every imported module, wherever in the file, with its line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((item.name, node.lineno) for item in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            yield node.module or "", node.lineno
            yield from ((f"{node.module}.{item.name}", node.lineno) for item in node.names)


def inner(name: str) -> str | None:
    """The top name under ``ragcli`` of an imported module, None for another package."""
    parts = name.split(".")
    return parts[1] if parts[0] == "ragcli" and len(parts) > 1 else None


def stage_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def allowed(stage: str) -> set[str]:
    everything = {*STAGES, *SHARED, "__version__"}
    if stage in STAGES:
        return {stage, *SHARED, "__version__"}
    if stage == "pipelines":
        return everything | {"pipelines"}
    if stage == "application":
        return everything | {"pipelines", "application"}
    if stage == "__init__":
        return {"application", "errors"}
    if stage in ("cli", "__main__"):
        return everything | {"pipelines", "application", "Index", "cli"}
    return set(SHARED)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_flow_one_way(path: Path) -> None:
    wrong = [
        f"line {line}: {name}"
        for name, line in imports(path)
        if (inner(name) or "errors") not in allowed(stage_of(path))
    ]
    assert not wrong, f"{name_of(path)} may not import {wrong}"


STORES = {
    "application.stores": {"ragcli.index.folder", "ragcli.index.postgres.store"},
    "pipelines.asking.reader": {"ragcli.index.compatibility"},  # whether two models make comparable vectors
}
"""What of the index room others may import: everything else they know as ``interfaces.Store`` and ``Engine``."""


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_one_else_knows_that_an_index_is_a_folder(path: Path) -> None:
    known = {name for name, _ in imports(path) if f"{name}.".startswith("ragcli.index.")}
    free = tuple(f"{name}." for name in STORES.get(name_of(path), ()))
    assert stage_of(path) == "index" or all(f"{name}.".startswith(free) for name in known)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_each_library_has_one_owner(path: Path) -> None:
    name = name_of(path)
    wrong = [
        f"line {line}: {library}"
        for imported, line in imports(path)
        if (library := imported.split(".")[0]) in OWNERS and not name.startswith(OWNERS[library])
    ]
    assert not wrong, f"{name} does not own {wrong}"


def test_every_library_has_an_owner() -> None:
    ours = {"ragcli", "numpy", *sys.stdlib_module_names}
    foreign = {name.split(".")[0] for path in MODULES for name, _ in imports(path)} - ours
    assert foreign <= set(OWNERS)
    assert {library for library, owners in OWNERS.items() if owners} <= foreign | {"sqlite3"}


def test_starting_the_program_loads_nothing_slow() -> None:
    code = "import sys, ragcli.cli.main; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "typer" in loaded
    assert not set(SLOW) & set(loaded)


@pytest.mark.parametrize("package", ["records", "interfaces"])
def test_every_late_name_is_found_where_it_is_said_to_be(package: str) -> None:
    text = (ROOT / package / "__init__.py").read_text(encoding="utf-8")
    tree = ast.parse(text)
    told = {
        (node.module, item.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"ragcli.{package}.")
        for item in node.names
    }
    (names,) = (ast.literal_eval(node) for node in ast.walk(tree) if isinstance(node, ast.Dict))
    assert told == {(f"ragcli.{package}.{module}", name) for module, held in names.items() for name in held.split()}
    loaded = importlib.import_module(f"ragcli.{package}")
    assert all(getattr(loaded, name) is getattr(importlib.import_module(module), name) for module, name in told)
    with pytest.raises(AttributeError, match=f"module 'ragcli.{package}' has no attribute 'nothing'"):
        loaded.nothing  # noqa: B018


def test_the_help_loads_neither_records_nor_stages() -> None:
    """What only a command needs, the command loads: each module costs every start a fraction of a millisecond."""
    code = "import sys, ragcli.cli.main; print(*(name for name in sys.modules if name.startswith('ragcli.')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    needless = {"records", "interfaces", "application", "pipelines", *STAGES}
    assert not [name for name in loaded if name.split(".")[1] in needless]


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_functions_are_short(path: Path) -> None:
    long = [f.name for f in functions(path) if (f.end_lineno or f.lineno) - f.lineno + 1 > 60]
    assert not long, f"over 60 lines in {name_of(path)}: {long}"


LONGEST_FILE = 350
LONG_FILES = {
    "application.index": 400,  # the front door: every method with its documentation, and no logic
    "index.staged.staging": 380,  # one table after another of one database, in one transaction
    "parse.tables": 360,  # one form of a table, and how every parser's cells come into it
}
"""Files with one idea that would not be clearer in two, and what they may not pass."""


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_files_hold_one_idea(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LONG_FILES.get(name_of(path), LONGEST_FILE)


def test_no_file_is_called_long_that_is_not_there() -> None:
    assert set(LONG_FILES) <= {name_of(path) for path in MODULES}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_say_what_they_are_for(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not text.strip() or ast.get_docstring(ast.parse(text)), f"{name_of(path)} has no docstring"


def test_names_mean_something() -> None:
    empty = {"utils", "util", "common", "helpers", "helper", "base", "misc"}
    assert not [path for path in MODULES if path.stem in empty or path.parent.name in empty]


def definitions(path: Path) -> Iterator[str]:
    """Classes and types that a module defines."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if re.fullmatch("_?[A-Z][a-z]+([A-Z][a-z]+)*", name) and isinstance(node.value, ast.Subscript):
                yield name


ONE_THING = ("interfaces", "index", "application.history")
"""An interface, the engines that keep to it and the door to them: what is one thing to each has one name in all."""


def test_a_name_stands_for_one_thing() -> None:
    """Classes and types, private ones too; and none is called as one that everybody knows."""
    homes: dict[str, set[str]] = {"Path": {"pathlib"}}
    for path in MODULES:
        for name in definitions(path):
            homes.setdefault(name, set()).add(name_of(path))
    kept = tuple(f"{one}." for one in ONE_THING)
    again = {
        name: sorted(places)
        for name, places in homes.items()
        if len(places) > 1 and not all(f"{place}.".startswith(kept) for place in places)
    }
    assert not again


def test_one_catch() -> None:
    """Catching everything is for ``main`` alone; cleaning up and raising again is not catching."""
    catches = []
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ExceptHandler) and not isinstance(node.body[-1], ast.Raise):
                caught = ast.unparse(node.type) if node.type else "everything"
                if caught in {"everything", "Exception", "BaseException"}:
                    catches.append(name_of(path))
    assert catches == ["cli.main"]


PURE = (
    "records",
    "codec",
    "quotes",
    "display",
    "language.sentences",
    "prices",
    "retrieve.fusion",
    "filters",
    "names",
    "answer.check.verify",
    "evaluate.measuring.measures",
    "evaluate.losses",
    "evaluate.gate",
)
"""Pure whatever they say; so is every other module that says it in its docstring."""
IMPURE = {
    *("os", "io", "pathlib", "time", "random", "secrets", "uuid", "sys", "subprocess", "socket", "tempfile"),
    *("sqlite3", "shutil", "threading", "logging", "locale"),
}
TOUCHES_THE_WORLD = {
    *("today", "now", "utcnow", "getenv", "urandom", "perf_counter", "monotonic"),
    *("read_text", "write_text", "read_bytes", "write_bytes", "mkdir", "unlink", "iterdir", "rglob", "stat", "is_file"),
}


@pytest.mark.parametrize("name", PURE)
def test_the_centres_are_there(name: str) -> None:
    assert any(is_within(path, name) for path in MODULES)


def is_within(path: Path, name: str) -> bool:
    """Whether a module is ``name``, or in the package of that name."""
    return f"{name_of(path)}.".startswith(f"{name}.")


def says_pure(path: Path) -> bool:
    """Whether a module promises to be a function of its arguments."""
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return re.search(r"\bpure\b(?! (but|except))", told, re.IGNORECASE) is not None


CENTRES = [path for path in MODULES if says_pure(path) or any(is_within(path, name) for name in PURE)]


def test_a_centre_is_known_by_what_it_says() -> None:
    said = {name_of(path) for path in MODULES if says_pure(path)}
    assert {"answer.calibration", "evaluate.trail", "parse.access", "parse.pdf.layout"} <= said


def chance(tree: ast.Module) -> list[str]:
    """Uses of ``random`` other than a generator of its own that is given a seed."""
    seeded = {
        id(node.func.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and node.args and ast.unparse(node.func) == "random.Random"
        if isinstance(node.func, ast.Attribute)
    }
    return [
        f"line {node.lineno}: random"
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == "random" and id(node) not in seeded
    ]


@pytest.mark.parametrize("path", CENTRES, ids=name_of)
def test_the_centres_are_pure(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    values = {"pathlib"} if name_of(path) == "records.staged" else set()  # the place of a source file is a value
    impure = {imported.split(".")[0] for imported, _ in imports(path)} & IMPURE - values
    assert impure <= {"random"}
    assert not chance(tree)
    calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not calls & {"open", "print", "input"}
    methods = {
        node.func.attr for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    assert not methods & TOUCHES_THE_WORLD


KINDS_OF_WORDS = (
    *("function_words", "months", "negators", "question_words", "points_back", "prepositions", "pronouns"),
    *("opposites", "quantifiers", "modalities", "auxiliaries", "superlatives", "conjunctions", "determiners"),
)
WORDS_OF_LANGUAGES = frozenset(
    word
    for kind in KINDS_OF_WORDS
    for language in LANGUAGES
    for line in lexicon(language).get(kind, ())
    for pair in spelled_out(line)
    for word in pair.split("/")  # opposites stand beside each other
    if len(word) > 1
)
LISTED_TOGETHER = 7
LISTING = ("language", "answer.check.suspicion")
"""The room of the lexicon, and forms of speech: whole phrases, each word in its place, and no lists."""


def word_lists(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Words written one after another as data: a collection, the branches of an expression, a text to be split."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict):
            items = node.keys if isinstance(node, ast.Dict) else node.elts
            yield node.lineno, [str(item.value) for item in items if isinstance(item, ast.Constant)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield from (
                (node.lineno, branches.split("|")) for branches in re.findall(r"[^\W_]+(?:\|[^\W_]+)+", node.value)
            )
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            if isinstance(node.func.value, ast.Constant):
                yield node.lineno, str(node.func.value.value).split()


def test_every_kind_of_word_is_looked_for() -> None:
    assert not [kind for kind in KINDS_OF_WORDS if not any(kind in lexicon(language) for language in LANGUAGES)]
    assert {"the", "march", "who", "forbid", "décembre", "nicht"} <= WORDS_OF_LANGUAGES


@pytest.mark.parametrize("path", [p for p in MODULES if not any(is_within(p, name) for name in LISTING)], ids=name_of)
def test_word_lists_have_one_home(path: Path) -> None:
    """What a language's words are stands in its lexicon, and nowhere a second time."""
    found = [
        f"line {line}: {' '.join(shared)}"
        for line, listed in word_lists(path)
        if len(shared := sorted({word.casefold() for word in listed} & WORDS_OF_LANGUAGES)) >= LISTED_TOGETHER
    ]
    assert not found, f"{name_of(path)} lists words of ragcli/language/lexicon: {found}"


ASKING = ("language", "filters", "quotes", "names", "retrieve", "index.lexical", "answer.extract", "answer.check")


@pytest.mark.parametrize("path", [p for p in MODULES if any(is_within(p, name) for name in ASKING)], ids=name_of)
def test_expressions_of_a_question_are_compiled_on_first_use(path: Path) -> None:
    """Most of them are for texts that one question never meets."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        compiled = [ast.unparse(call) for call in ast.walk(node) if isinstance(call, ast.Call)]
        at_import = not isinstance(node, ast.FunctionDef | ast.ClassDef)
        assert not (at_import and any(text.startswith("re.compile(") for text in compiled)), ast.unparse(node)[:80]


def test_everything_that_is_not_code_is_installed_too() -> None:
    settings = tomllib.loads((ROOT.parent / "pyproject.toml").read_text(encoding="utf-8"))
    named = set(settings["tool"]["setuptools"]["package-data"]["ragcli"])
    there = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    data = {name for name in there if not name.endswith((".py", ".pyc"))}
    assert not [name for name in data if not any(fnmatch.fnmatch(name, wanted) for wanted in named)]
    assert not [wanted for wanted in named if not fnmatch.filter(data, wanted)]
