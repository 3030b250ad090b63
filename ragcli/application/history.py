"""``Index.traces`` and ``Index.sessions``: past questions and conversations, as someone with some groups may see them.

What they may see is what ``pipelines.asking.remembered`` says, by today's access to the documents in them.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ragcli.config import Config
from ragcli.errors import NotFound
from ragcli.pipelines.asking.remembered import TodaysAccess
from ragcli.prices import cost
from ragcli.records import SessionInfo, Trace, Turn, Usage, Verdict

if TYPE_CHECKING:
    from ragcli.interfaces import Store


class Traces:
    """Past questions. The asker's groups are those of the settings where none are given."""

    def __init__(self, store: Store, config: Config) -> None:
        self._store = store
        self._config = config

    def list(self, groups: Sequence[str] | None = None) -> list[Trace]:
        """Every trace that may be seen, oldest first, with its feedback."""
        with _access(self._store, self._config, groups) as access:
            return list(access.traces(self._store.traces))

    def get(self, trace_id: str, groups: Sequence[str] | None = None) -> Trace:
        """The trace with this id or beginning. Raises NotFound, also for one that the groups may not see."""
        found = [trace for trace in self.list(groups) if trace.trace_id.startswith(trace_id)]
        exact = [trace for trace in found if trace.trace_id == trace_id] or found
        if len(exact) != 1:
            what = f"{len(exact)} traces start with" if exact else "no trace has the id"
            raise NotFound(f"{what} {trace_id!r}", hint="rag log lists them; --as GROUP shows those of a group")
        return exact[0]

    def feedback(self, trace_id: str, verdict: Verdict, groups: Sequence[str] | None = None) -> Trace:
        """Record a user's verdict. Raises NotFound as ``get`` does."""
        found = self.get(trace_id, groups)
        return replace(found, feedback=self._store.traces.feedback(found.trace_id, verdict).feedback)

    def stats(self, groups: Sequence[str] | None = None) -> dict[str, Any]:
        """Counts and times over past questions, as ``rag stats --json`` prints them."""
        return summary(self.list(groups))


def summary(traces: Sequence[Trace]) -> dict[str, Any]:
    """Counts and times over past questions; times are milliseconds, None without a question.

    ``dollars`` are by the list prices; ``without_a_price`` counts the questions whose tokens have none.
    """
    answered = [trace for trace in traces if not trace.failure]
    costs = [cost(trace.model, trace.usage) for trace in traces if trace.usage != Usage()]
    known = [dollars for dollars in costs if dollars is not None]
    times = sorted(trace.timings_ms["total"] for trace in traces if "total" in trace.timings_ms)
    return {
        "schema": "rag.stats/1",
        "questions": len(traces),
        "found": sum(trace.found for trace in answered),
        "not_found": dict(sorted(Counter(t.not_found_reason or "unknown" for t in answered if not t.found).items())),
        "failed": dict(sorted(Counter(trace.failure for trace in traces if trace.failure).items())),
        "sentences": dict(sorted(Counter(status for trace in traces for status in trace.statuses).items())),
        "feedback": dict(sorted(Counter(trace.feedback for trace in traces if trace.feedback).items())),
        "providers": dict(sorted(Counter(trace.provider for trace in traces).items())),
        "input_tokens": sum(trace.usage.input_tokens for trace in traces),
        "cached_tokens": sum(trace.usage.cache_read_tokens + trace.usage.cache_write_tokens for trace in traces),
        "output_tokens": sum(trace.usage.output_tokens for trace in traces),
        "dollars": round(sum(known), 4) if known else None,
        "without_a_price": sum(dollars is None for dollars in costs),
        "median_ms": round(statistics.median(times), 1) if times else None,
        "p95_ms": times[min(len(times) - 1, int(0.95 * len(times)))] if times else None,
        "first": min((trace.created for trace in traces), default=None),
        "last": max((trace.created for trace in traces), default=None),
    }


class Sessions:
    """Conversations. The asker's groups are those of the settings where none are given."""

    def __init__(self, store: Store, config: Config) -> None:
        self._store = store
        self._config = config

    def turns(self, name: str, groups: Sequence[str] | None = None) -> list[Turn]:
        """The turns of a conversation that may be seen, oldest first; empty for a new one."""
        with _access(self._store, self._config, groups) as access:
            return list(access.turns(self._store.sessions.turns(name)))

    def list(self, groups: Sequence[str] | None = None) -> list[SessionInfo]:
        """The conversations that hold a turn that may be seen, with how many of them and the last."""
        log = self._store.sessions
        with _access(self._store, self._config, groups) as access:
            seen = {info.name: list(access.turns(log.turns(info.name))) for info in log.list()}
        return [SessionInfo(name, len(turns), turns[-1].created) for name, turns in seen.items() if turns]

    def drop(self, name: str, groups: Sequence[str] | None = None) -> None:
        """Remove what may be seen of a conversation. Raises NotFound when that is nothing."""
        seen = {(turn.trace_id, turn.created, turn.question) for turn in self.turns(name, groups)}
        self._store.sessions.drop(name, lambda turn: (turn.trace_id, turn.created, turn.question) in seen)


def _access(store: Store, config: Config, groups: Sequence[str] | None) -> TodaysAccess:
    return TodaysAccess(store, groups or config.groups, config.index.default_acl)
