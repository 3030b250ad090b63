"""``rag tables`` and ``rag sql`` over files of several formats, some of them closed to the asker."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import Ran, here, rag

PRICES = """Item,Price,Category,In stock
Laptop,"1,299.00 €",Hardware,5
Mouse,24.90 €,Hardware,120
Chair,189.50 €,Furniture,12
"""
VENDORS = """# Vendors

| Vendor | Since | `Rating` |
|---|:-:|--:|
| **ACME** | 2020-01-05 | 4.5 |
| Foo \\| Bar | 2021-03-01 | 3 |
"""
RATES = (
    "<html><body><h1>Rates</h1><p>What a night may cost in the cities that we visit most often in a year.</p>"
    "<table><tr><th>City</th><th>Night</th></tr><tr><td>Graz</td><td>90 €</td></tr>"
    "<tr><td>Wien</td><td>120 €</td></tr></table></body></html>"
)
SALARIES = "acl,name,salary\nboard,Ann Zyxwv,5000\nboard,Bob,4000\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("tables")
    docs = folder / "docs"
    (docs / "hr").mkdir(parents=True)
    (docs / "prices.csv").write_text(PRICES)
    (docs / "vendors.md").write_text(VENDORS)
    (docs / "rates.html").write_text(RATES)
    (docs / "hr" / "salaries.csv").write_text(SALARIES)
    (docs / "formula.csv").write_text('Key,Value\n"=HYPERLINK(""x"")",1\n')
    ran = rag("ingest", "docs", "--index", "index", "--quiet", cwd=folder)
    assert ran.code == 0, ran.err
    yield folder


def run(project: Path, *arguments: str) -> Ran:
    return here(*arguments, "--index", "index", cwd=project)


def test_tables_are_listed_with_place_columns_and_types(project: Path) -> None:
    value = run(project, "tables", "--json").json
    assert value["schema"] == "rag.tables/1"
    tables = {table["name"]: table for table in value["tables"]}
    assert list(tables) == ["formula", "prices", "rates", "vendors", "documents"]
    assert [(c["name"], c["type"], c["unit"]) for c in tables["prices"]["columns"]] == [
        ("item", "text", ""),
        ("price", "number", "€"),
        ("category", "text", ""),
        ("in_stock", "integer", ""),
    ]
    assert (tables["vendors"]["lines"], tables["vendors"]["rows"]) == ([3, 6], 2)
    assert [c["type"] for c in tables["vendors"]["columns"]] == ["text", "date", "number"]
    text = run(project, "tables").out
    assert "vendors.md:3-6 (Vendors)" in text
    assert "night" in run(project, "tables", "-v").out


def test_rows_come_with_their_places(project: Path) -> None:
    value = run(project, "sql", "SELECT vendor, rating FROM vendors ORDER BY rating", "--json").json
    assert value["schema"] == "rag.sql/1"
    assert value["rows"] == [["Foo | Bar", 3], ["ACME", 4.5]]
    assert [places[0]["lines"] for places in value["places"]] == [[6, 6], [5, 5]]
    grouped = run(project, "sql", "SELECT category, sum(price) FROM prices GROUP BY 1 ORDER BY 1", "--json").json
    assert grouped["rows"] == [["Furniture", 189.5], ["Hardware", 1323.9]]
    assert [[place["row"] for place in places] for places in grouped["places"]] == [[3], [1, 2]]
    joined = "SELECT d.title, p.item FROM documents d, prices p WHERE d.source = 'prices.csv' AND p.in_stock > 100"
    assert run(project, "sql", joined).out.splitlines()[1].split("  ")[-1] == "prices.csv; prices.csv row 2"
    whole = run(project, "sql", "SELECT DISTINCT category FROM prices ORDER BY 1").out.splitlines()
    assert [line.split() for line in whole[1:]] == [["Furniture", "prices.csv"], ["Hardware", "prices.csv"]]


def test_cells_as_written_stand_in_raw(project: Path) -> None:
    assert run(project, "sql", "SELECT price FROM raw.prices", "--format", "json").json["rows"][0] == ["1,299.00 €"]
    both = "SELECT p.price, r.price FROM prices p JOIN raw.prices r USING (item) WHERE item = 'Mouse'"
    assert run(project, "sql", both, "--json").json["rows"] == [[24.9, "24.90 €"]]


def test_csv_is_for_spreadsheets(project: Path) -> None:
    out = run(project, "sql", "SELECT * FROM formula", "--format", "csv").out
    header, row = csv.reader(io.StringIO(out))
    assert (header, row) == (["key", "value", "from"], ['\'=HYPERLINK("x")', "1", "formula.csv row 1"])
    assert run(project, "sql", "SELECT 1", "--format", "csv", "--json").code == 2


@pytest.mark.parametrize("name", ["prices", "PRICES", '"prices.csv"', '"prices.csv#1"', "prices_csv", "main.prices"])
def test_a_table_has_several_names(project: Path, name: str) -> None:
    assert run(project, "sql", f"SELECT count(*) FROM {name}", "--json").json["rows"] == [[3]]


def test_exit_codes(project: Path) -> None:
    assert run(project, "sql", "SELECT * FROM prices WHERE false").code == 0
    assert run(project, "sql", "SELECT * FROM prices WHERE false", "--strict").code == 4
    bad = run(project, "sql", "SELECT prise FROM prices", "--json")
    assert (bad.code, bad.json["error"]["category"]) == (2, "sql")
    assert '"price"' in bad.json["error"]["message"]
    unknown = run(project, "sql", "SELECT * FROM price")
    assert (unknown.code, "did you mean prices" in unknown.err) == (2, True)
    assert run(project, "sql", "SELECT", "--at", "v000009").code == 6
    assert run(project, "sql", " ").code == 2
    assert rag("sql", "-", "--index", "index", cwd=project, stdin="SELECT 7 AS n").out.split() == ["n", "from", "7"]


CLOSED_QUERIES = (
    "SELECT * FROM salaries",
    'SELECT * FROM "hr/salaries.csv"',
    'SELECT * FROM "hr/salaries.csv#1"',
    "SELECT * FROM hr_salaries",
    "SELECT * FROM raw.salaries",
    "SELECT * FROM salary",
    "SELECT * FROM salarie, prices",
    "SELECT salary FROM prices",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM information_schema.columns",
    "SELECT * FROM duckdb_tables()",
    "SELECT * FROM duckdb_columns()",
    "SELECT * FROM pg_catalog.pg_tables",
    "SELECT * FROM sqlite_master",
    "SHOW ALL TABLES",
    "DESCRIBE salaries",
    "SUMMARIZE salaries",
    "SELECT * FROM documents",
    "SELECT * FROM documents WHERE source ~ '.*'",
    "SELECT count(*), sum(tables), max(title) FROM documents",
    "SELECT * FROM raw.documents",
)


@pytest.mark.parametrize("query", CLOSED_QUERIES)
def test_a_closed_table_does_not_exist(project: Path, tmp_path: Path, query: str) -> None:
    """What is printed is what an index prints that never held it."""
    ran = run(project, "sql", query, "--json")
    without = here("sql", query, "--index", str(_without(project, tmp_path)), "--json", cwd=project)
    assert (ran.code, ran.out, ran.err) == (without.code, without.out, without.err)
    assert "Zyxwv" not in ran.out + ran.err


_KEPT: dict[Path, Path] = {}


def _without(project: Path, tmp_path: Path) -> Path:
    """An index of the same files without the closed one."""
    if project not in _KEPT:
        folder = tmp_path / "open"
        (folder / "docs").mkdir(parents=True)
        for path in (project / "docs").glob("*.*"):
            copy = folder / "docs" / path.name
            copy.write_bytes(path.read_bytes())
        assert rag("ingest", "docs", "--index", "index", "--quiet", cwd=folder).code == 0
        _KEPT[project] = folder / "index"
    return _KEPT[project]


def test_who_may_see_a_table_can_query_it(project: Path) -> None:
    ran = run(project, "sql", "SELECT sum(salary) FROM salaries", "--as", "board", "--json")
    assert ran.json["rows"] == [[9000]]
    listed = run(project, "tables", "--as", "board", "--json").json["tables"]
    assert "salaries" in [table["name"] for table in listed]
    assert "salaries" not in run(project, "tables").out


def test_filters_bind_before_the_query(project: Path) -> None:
    value = run(project, "sql", "SELECT source FROM documents", "--filter", "source~*.csv", "--json").json
    assert value["rows"] == [["formula.csv"], ["prices.csv"]]
    assert run(project, "sql", "SELECT * FROM vendors", "--filter", "source~*.csv").code == 2


def test_the_place_of_a_row_is_no_formula_either(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "=1+1.csv").write_text("Unit,Sign\nkilowatt hour,kWh\n")
    assert rag("ingest", "docs", "--index", "index", "--quiet", cwd=tmp_path).code == 0
    out = run(tmp_path, "sql", 'SELECT sign FROM "=1+1.csv"', "--format", "csv").out
    assert out == "sign,from\nkWh,'=1+1.csv row 1\n"
