"""``rag ask`` with a model behind either form of API: answers, faults, queries over tables, tokens and cost."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragcli.cli.output import Output
from tests.answer.chat_server import chat_fails, chat_message, chat_says, chat_streams
from tests.answer.messages_server import Act, MessagesServer, answers, fails, message, says, serving, streams
from tests.cli.running import Ran, here

PRICES = "Item,Price,Category\nLaptop,1299.00,Hardware\nMouse,24.90,Hardware\nDesk,350.00,Furniture\n"
SALARIES = "acl,name,salary\nboard,Ann Zyxwv,5000\n"
REFUNDS = "# Refunds\n\nRefunds are returned within 5 working days. Shipping costs are not returned.\n"


def structured(*sentences: tuple[str, int, str]) -> str:
    """A reply by schema: for each sentence its text, the passage it cites and the quote."""
    made = [{"text": text, "citations": [{"passage": n, "quote": quote}]} for text, n, quote in sentences]
    return json.dumps({"found": True, "sentences": made})


GOOD = structured(
    ("Refunds are returned within 5 working days.", 1, "Refunds are returned within 5 working days."),
    ("Shipping costs are not returned.", 1, "Shipping costs are not returned."),
)
IN_SECOND = GOOD.index("Shipping costs") + 5


def _uses(name: str, given: dict[str, Any]) -> Act:
    content = [{"type": "tool_use", "id": "t1", "name": name, "input": given}]
    return answers(message(content=content, stop="tool_use"))


def _calls(name: str, given: dict[str, Any]) -> Act:
    return answers(chat_message(None, stop="tool_calls", calls=[(name, given)]))


WIRES: dict[str, dict[str, Callable[..., Act]]] = {
    "anthropic": {"says": says, "fails": fails, "streams": streams, "uses": _uses},
    "openai": {"says": chat_says, "fails": chat_fails, "streams": chat_streams, "uses": _calls},
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    (folder / "docs").mkdir()
    (folder / "docs" / "refunds.md").write_text(REFUNDS)
    (folder / "docs" / "prices.csv").write_text(PRICES)
    (folder / "docs" / "salaries.csv").write_text(SALARIES)
    ran = here("ingest", "docs", "--index", "index", "--quiet", cwd=folder)
    assert ran.code == 0, ran.err
    return folder


@pytest.fixture(params=sorted(WIRES))
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Standard output that a person watches."""
    monkeypatch.setattr(Output, "streams", property(lambda output: not output.json))
    yield


def ask(project: Path, server: MessagesServer, provider: str, *more: str, **settings: str) -> Ran:
    env = {
        "RAG_ANSWER__PROVIDER": provider,
        "RAG_ANSWER__BASE_URL": server.url,
        "RAG_ANSWER__MODEL": "m-1",
        "RAG_ANSWER__RETRIES": "0",
        **{f"RAG_ANSWER__{name.upper()}": value for name, value in settings.items()},
    }
    return here("ask", "How long do refunds take?", "--index", "index", *more, cwd=project, env=env)


def last_trace(project: Path) -> dict[str, Any]:
    traces: list[dict[str, Any]] = here("log", "-n", "1", "--index", "index", "--json", cwd=project).json["traces"]
    return traces[-1]


def test_an_answer_with_its_tokens(project: Path, provider: str) -> None:
    with serving(WIRES[provider]["says"](GOOD)) as server:
        ran = ask(project, server, provider, "-v")
    assert ran.code == 0
    assert ran.out.startswith("Refunds are returned within 5 working days [1].")
    assert "100 tokens sent, 20 received; no list price known" in ran.err


def test_what_it_cost_by_the_list_prices(project: Path) -> None:
    reply = {**message(GOOD, cache_read_input_tokens=1_000_000), "model": "claude-sonnet-5-5"}
    with serving(answers(reply)) as server:
        ran = ask(project, server, "anthropic", "-v")
    # 100 × 2 + 1,000,000 × 0.2 + 20 × 10 dollars a million
    assert "1,000,100 tokens sent (1,000,000 from the cache), 20 received; $0.2004 by the list prices of" in ran.err


def test_the_cost_of_past_questions(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(REFUNDS)
    assert here("ingest", "a.md", "--index", "index", "--quiet", cwd=tmp_path).code == 0
    priced = {**message(GOOD), "model": "claude-sonnet-5-5", "usage": {"input_tokens": 1_000_000, "output_tokens": 100}}
    with serving(answers(priced), says(GOOD), fails(529, "overloaded_error")) as server:
        codes = [ask(tmp_path, server, "anthropic").code for _ in range(3)]
    assert codes == [0, 0, 5]
    stats = here("stats", "--index", "index", "--json", cwd=tmp_path).json
    assert (stats["questions"], stats["found"], stats["not_found"]) == (3, 2, {})
    assert stats["failed"] == {"overloaded": 1}
    assert (stats["input_tokens"], stats["output_tokens"]) == (1_000_100, 120)
    assert (stats["dollars"], stats["without_a_price"]) == (2.001, 1)
    assert "dollars        2.001" in here("stats", "--index", "index", cwd=tmp_path).out


def test_a_stream_that_breaks_keeps_sources_and_trace(project: Path, provider: str, terminal: None) -> None:
    with serving(WIRES[provider]["streams"](GOOD, error_after=IN_SECOND // 7)) as server:
        ran = ask(project, server, provider)
    assert ran.code == 5
    first, source, *rest = ran.out.split("\n\n")
    assert first == "Refunds are returned within 5 working days [1]."
    assert source.splitlines()[:2] == ["[1] Refunds", "    refunds.md:3"]
    assert not [part for part in rest if part.strip()]
    assert ran.err.startswith("error: 127.0.0.1:")
    assert "answered 529: Overloaded" in ran.err
    trace = last_trace(project)
    assert trace["failure"] == "overloaded"
    assert trace["answer"] == "Refunds are returned within 5 working days [1]."
    assert trace["hits"] and trace["not_found_reason"] is None
    assert "overloaded" in here("log", "-n", "1", "--index", "index", cwd=project).out


def test_a_fault_is_one_value_of_json_and_leaves_a_trace(project: Path, provider: str) -> None:
    with serving(WIRES[provider]["fails"](401, "authentication_error", "who are you")) as server:
        ran = ask(project, server, provider, "--json")
    assert (ran.code, ran.json["error"]["category"]) == (5, "bad_key")
    trace = last_trace(project)
    assert (trace["failure"], trace["found"], trace["answer"]) == ("bad_key", False, "")
    assert trace["question"] == "How long do refunds take?"


def test_a_cut_off_answer_is_shown_and_told(project: Path, provider: str, terminal: None) -> None:
    cut = "max_tokens" if provider == "anthropic" else "length"
    with serving(WIRES[provider]["streams"](GOOD[:IN_SECOND], stop=cut)) as server:
        ran = ask(project, server, provider, max_tokens="20")
    assert ran.code == 0
    assert ran.out.startswith("Refunds are returned within 5 working days [1].\n\n[1] Refunds\n")
    assert "the answer was cut off after 20 tokens (answer.max_tokens is 20): what was complete is shown" in ran.err


SUM = "SELECT category, sum(price) AS total FROM prices GROUP BY category ORDER BY total DESC"


def test_a_model_queries_the_tables_and_its_answer_cites_query_and_rows(project: Path, provider: str) -> None:
    uses = WIRES[provider]["uses"]

    def answer(handler: Any) -> None:
        shown = re.findall(r'<passage id="(\d+)"', str(handler.server.bodies[-1]))
        cited = [{"passage": int(shown[-1]), "quote": "| Hardware | 1323.9 |"}]
        sentence = {"text": "Hardware costs 1323.9 in total.", "citations": cited}
        uses("answer", {"found": True, "sentences": [sentence]})(handler)

    with serving(uses("query", {"sql": SUM}), answer) as server:
        ran = ask(project, server, provider, "--agentic", "--json")
    value = ran.json
    assert (ran.code, value["found"]) == (0, True), ran
    assert [(one["status"], one["citations"]) for one in value["sentences"]] == [("paraphrase", [1])]
    (citation,) = value["citations"]
    assert (citation["source"], citation["quote"]) == (
        "prices.csv", "| Laptop | 1299.00 | Hardware |\n| Mouse | 24.90 | Hardware |"
    )  # fmt: skip
    assert value["queries"] == [
        {
            "sql": SUM,
            "tables": ["prices"],
            "columns": ["category", "total"],
            "rows": [["Hardware", "1323.9"], ["Furniture", "350"]],
        }
    ]
    assert [step["query"] for step in value["steps"]] == ["How long do refunds take?", SUM]
    assert all(not chunk_id.startswith("query") for chunk_id in value["passages"])
    assert not last_trace(project)["failure"]
    first = str(server.bodies[0])
    assert '"prices" ("item" text, "price" number, "category" text), 3 rows, from prices.csv' in first
    assert "salaries" not in first


def test_a_closed_table_does_not_exist_for_the_tool(project: Path, provider: str) -> None:
    uses = WIRES[provider]["uses"]
    nothing = uses("answer", {"found": False, "sentences": []})
    closed = uses("query", {"sql": "SELECT * FROM salaries"})
    with serving(closed, uses("query", {"sql": "DROP TABLE prices"}), nothing) as server:
        ran = ask(project, server, provider, "--agentic")
    assert ran.code == 4
    told = [json.dumps(body["messages"][-1]) for body in server.bodies[1:]]
    assert "there is no table 'salaries'" in told[0]
    assert "only SELECT" in told[1]
    assert "Zyxwv" not in str(server.bodies)
    with serving(closed, nothing) as server:
        assert ask(project, server, provider, "--agentic", "--as", "board").code == 4
    assert "Ann Zyxwv" in json.dumps(server.bodies[1]["messages"][-1])


def test_a_model_is_shown_the_nearest_tables_and_the_first_rows(tmp_path: Path, provider: str) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "refunds.md").write_text(REFUNDS + "\n| Reason | Days |\n|---|---|\n| broken | 2 |\n")
    for number in range(22):
        rows = range(40 if number == 0 else 2)
        (docs / f"t{number:02}.csv").write_text("Key,Value\n" + "".join(f"k{row},{row}{number}\n" for row in rows))
    assert here("ingest", "docs", "--index", "index", "--quiet", cwd=tmp_path).code == 0
    uses = WIRES[provider]["uses"]
    script = [uses("query", {"sql": "SELECT * FROM t00"}), uses("answer", {"found": False, "sentences": []})]
    with serving(*script) as server:
        assert ask(tmp_path, server, provider, "--agentic").code == 4
    first, second = (json.dumps(body["messages"][-1]) for body in server.bodies)
    told = first[first.index("<tables>") : first.index("</tables>")]
    assert told.startswith(
        '<tables>\\n\\"refunds\\" (\\"reason\\" text, \\"days\\" integer), 1 rows, from refunds.md: Refunds'
    )
    assert told.count(" rows, from ") == 21  # with that of the documents themselves
    assert "and 3 more tables" in told
    assert "| k29 | 290 |" in second and "| k30 |" not in second
    assert "there are more than 30 rows" in second


def test_doctor_does_without_a_count_of_tokens(project: Path, provider: str) -> None:
    uncounted = [fails(404, "not_found_error")] if provider == "anthropic" else []
    with serving(*uncounted, WIRES[provider]["says"]("H")) as server:
        env = {"RAG_ANSWER__PROVIDER": provider, "RAG_ANSWER__BASE_URL": server.url, "RAG_ANSWER__MODEL": "m-1"}
        checks = here("doctor", "--index", "index", "--json", cwd=project, env=env).json["checks"]
    (found,) = [check for check in checks if check["name"] == "answers"]
    assert (found["state"], found["message"]) == ("ok", f"{provider}, m-1 answers at {server.url[7:]}")
