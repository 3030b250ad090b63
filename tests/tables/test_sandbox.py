"""The process that runs SQL: what may run, what comes back, and what it can neither reach nor exceed."""

from __future__ import annotations

import datetime
import os
import re
import time
from decimal import Decimal
from pathlib import Path

import pytest

from ragcli.config import TablesConfig
from ragcli.errors import ConfigError
from ragcli.records import TableColumn
from ragcli.tables.sandbox import QueryOutcome, Sandbox, TableContent
from ragcli.tables.statement import ReadQuery

CONFIG = TablesConfig(timeout_seconds=20, memory_mb=128)
COLUMNS = (
    TableColumn("item", "Item"),
    TableColumn("price", "Price", "number", decimals=2),
    TableColumn("since", "Since", "date"),
)
PRICES = TableContent(
    "",
    "prices",
    COLUMNS,
    [("Laptop", Decimal("1299.00"), datetime.date(2026, 1, 2)), ("Mouse", Decimal("24.9"), None), (None, None, None)],
)


def run(query: str, config: TablesConfig = CONFIG, limit: int = 100) -> QueryOutcome:
    with Sandbox(config) as sandbox:
        statement = ReadQuery(sandbox.parse(query))
        row_of, rows_of = sandbox.expressions("T.rowid", "min(T.rowid, 3)")
        trees = [tree for tree, _ in statement.tracing(row_of, rows_of)]
        return sandbox.run(query, [PRICES], trees, limit)


def test_values_come_back_as_they_are() -> None:
    found = run(
        "SELECT *, [item] AS list, 1152921504606846976 AS big, 0.5::DOUBLE AS half, since::TIMESTAMP AS at FROM prices"
    )
    assert found.columns[:3] == ("item", "price", "since")
    assert found.rows[0][:5] == ("Laptop", Decimal("1299.00"), datetime.date(2026, 1, 2), ("Laptop",), 1 << 60)
    assert found.rows[0][5:] == (0.5, datetime.datetime(2026, 1, 2), 0)
    assert found.rows[2][:3] == (None, None, None)


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT item FROM prices WHERE price > 100", [("Laptop", 0)]),
        ("SELECT count(*) FROM prices", [(3, (0, 1, 2))]),
        ("SELECT p.item FROM prices AS p ORDER BY price DESC LIMIT 1", [("Laptop", 0)]),
        ("SELECT count(*) FROM prices GROUP BY price > 9, item ORDER BY item", [(1, (0,)), (1, (1,)), (1, (2,))]),
        ("SELECT a.item FROM prices a JOIN prices b USING (item) WHERE b.price < 100", [("Mouse", 1, 1)]),
    ],
)
def test_rows_are_traced(query: str, rows: list[tuple[object, ...]]) -> None:
    assert list(run(query).rows) == rows


@pytest.mark.parametrize(
    "query",
    [
        "SELECT DISTINCT item FROM prices",
        "SELECT 1 UNION ALL SELECT 2",
        "WITH c AS (SELECT item FROM prices) SELECT * FROM c",
        "SELECT * FROM (SELECT item FROM prices)",
        "SELECT * FROM range(3)",
        "DESCRIBE prices",
        "SUMMARIZE prices",
    ],
)
def test_what_cannot_be_traced_still_runs(query: str) -> None:
    found = run(query)
    assert found.traced is None
    assert found.rows


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "no statement"),
        ("SELECT 1; SELECT 2", "2 statements"),
        ("SELEC 1", "syntax error"),
        ("COPY (SELECT 1) TO '/tmp/rag-sql-attack'", "only SELECT"),
        ("COPY prices FROM '/etc/passwd'", "only SELECT"),
        ("ATTACH '/tmp/rag-sql-attack' AS x", "only SELECT"),
        ("INSTALL httpfs", "only SELECT"),
        ("LOAD httpfs", "only SELECT"),
        ("PRAGMA database_list", "only SELECT"),
        ("SET enable_external_access = true", "only SELECT"),
        ("RESET lock_configuration", "only SELECT"),
        ("CALL pragma_version()", "only SELECT"),
        ("CREATE TABLE x AS SELECT 1", "only SELECT"),
        ("DROP TABLE prices", "only SELECT"),
        ("DELETE FROM prices", "only SELECT"),
        ("EXPORT DATABASE '/tmp/rag-sql-attack'", "only SELECT"),
        ("EXPLAIN SELECT 1", "only SELECT"),
        ("SELECT * FROM read_csv('/etc/passwd')", "read_csv"),
        ("SELECT * FROM read_text('/etc/passwd')", "read_text"),
        ("SELECT * FROM read_blob('/etc/passwd')", "read_blob"),
        ("SELECT * FROM glob('/*')", "glob"),
        ("SELECT * FROM duckdb_settings()", "duckdb_settings"),
        ("SELECT * FROM duckdb_tables()", "duckdb_tables"),
        ("SELECT * FROM query('SELECT 1')", "query"),
        ("SELECT * FROM query_table('prices')", "query_table"),
        ("SELECT * FROM json_execute_serialized_sql('{}')", "json_execute_serialized_sql"),
        ("SELECT (SELECT content FROM read_text('/etc/passwd'))", "read_text"),
        ("WITH c AS (SELECT * FROM read_text('/etc/passwd')) SELECT * FROM c", "read_text"),
        ("SELECT * FROM prices WHERE item IN (SELECT content FROM read_text('/etc/passwd'))", "read_text"),
        ("SELECT * FROM information_schema.tables", "no table 'information_schema.tables'"),
        ("SELECT * FROM pg_catalog.pg_class", "no table"),
        ("SELECT * FROM system.information_schema.columns", "no table"),
        ("SHOW TABLES", "SHOW"),
        ("SHOW ALL TABLES", "SHOW"),
        ("SELECT current_setting('secret_directory')", "current_setting"),
        ("SELECT item FROM prices ORDER BY current_setting('home_directory')", "current_setting"),
        ("SELECT getenv('HOME')", "getenv"),
        ("SELECT nextval('x')", "nextval"),
        ("SELECT no_such_column FROM prices", "no_such_column"),
        ("SELECT * FROM prices WHERE price = 'a lot'", "Conversion Error"),
        ("SELECT $1", "parameters"),
    ],
)
def test_what_may_not_run(query: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        run(query)
    assert caught.value.hint
    assert not Path("/tmp/rag-sql-attack").exists()


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_text('/etc/passwd')",
        "COPY (SELECT 1) TO '/tmp/rag-sql-attack'",
        "ATTACH '/tmp/rag-sql-attack'",
        "SET threads = 4",
        "SET enable_external_access = true",
        "LOAD httpfs",
        "INSTALL httpfs",
    ],
)
def test_the_engine_is_locked_behind_the_check(query: str) -> None:
    """All of this is refused before it comes to the engine; this is the second lock."""
    with Sandbox(CONFIG) as sandbox, pytest.raises(ConfigError) as caught:
        sandbox.run(query, [PRICES], [], 10)
    assert "root:" not in caught.value.message
    assert not Path("/tmp/rag-sql-attack").exists()


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM range(10000000) a, range(10000000) b",
        "WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
    ],
)
def test_a_slow_query_is_stopped(query: str) -> None:
    began = time.monotonic()
    with pytest.raises(ConfigError, match=r"took longer than tables\.timeout_seconds = 1, stopped") as caught:
        run(query, TablesConfig(timeout_seconds=1))
    assert "timeout_seconds" in caught.value.hint
    assert time.monotonic() - began < 15


@pytest.mark.skipif(os.name != "posix", reason="the system limits no process")
@pytest.mark.parametrize(
    "query",
    [
        "SELECT string_agg(repeat('x', 1000000)) FROM range(100000)",
        "SELECT repeat('x', 10000000) FROM range(1000)",
        "SELECT repeat('x', 2000000000)",
        "SELECT list(range) FROM range(1000000000)",
    ],
)
def test_a_query_that_wants_too_much_memory_ends(query: str) -> None:
    with pytest.raises(ConfigError) as caught:
        run(query, TablesConfig(timeout_seconds=60, memory_mb=64))
    assert "memory" in caught.value.message.casefold() or "larger than" in caught.value.message


def test_a_result_is_cut_and_says_so() -> None:
    found = run("SELECT * FROM range(100000000000)", limit=5)
    assert (len(found.rows), found.cut) == (5, True)
    assert not run("SELECT * FROM range(5)", limit=5).cut


def test_the_process_has_no_environment_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key-of-mine")
    with Sandbox(CONFIG) as sandbox:
        place = Path(f"/proc/{sandbox._process.pid}/environ")
        if not place.exists():
            pytest.skip("no /proc")
        sandbox.parse("SELECT 1")
        assert b"a-key-of-mine" not in place.read_bytes()
