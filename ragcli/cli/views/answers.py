"""A checked answer as JSON and as text with printed citations."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragcli.cli.output import Output, link
from ragcli.cli.views.places import heading, place
from ragcli.display import as_quoted, continued, one_line, printable

if TYPE_CHECKING:
    from ragcli import Index
    from ragcli.records import Answer, AskResult, Citation, Sentence

_SUPPORTED = ("supported", "paraphrase")
_WIDTH = 100
_SURE = 0.7
"""Below this probability that it answers, an answer is shown with a word of doubt."""


def unsupported(answer: Answer) -> tuple[Sentence, ...]:
    """The sentences that their citations do not support."""
    return tuple(sentence for sentence in answer.sentences if sentence.status not in _SUPPORTED)


def text(result: AskResult, output: Output, index: Index) -> str:
    """The answer, then each source with its place, date and quote."""
    answer = result.answer
    if not answer.found:
        return ""
    paragraphs = [_answer(answer, output)]
    paragraphs += _queries(result, output)
    paragraphs += _sources(answer.citations, answer.sentences, output, index)
    return "\n\n".join(paragraphs)


def after_stream(result: AskResult, output: Output, index: Index) -> str:
    """What is left to print once the sentences stand on the terminal: the marks and the sources."""
    answer = result.answer
    sources = _sources(answer.citations, answer.sentences, output, index)
    return "\n\n".join(
        part for part in ("\n".join(_marks(answer, output)), *_queries(result, output), *sources) if part
    )


class Streamed:
    """Prints each sentence as soon as it is checked."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._sentences: list[Sentence] = []
        self._citations: list[Citation] = []

    @property
    def printed(self) -> bool:
        """Whether something was."""
        return bool(self._sentences)

    def __call__(self, sentence: Sentence, citations: tuple[Citation, ...]) -> None:
        from ragcli.answer.check.citing import marked

        self._output.piece((" " if self.printed else "") + continued(printable(marked(sentence))))
        self._sentences.append(sentence)
        self._citations += citations

    def sources(self, index: Index) -> str:
        """The sources of what was printed, for an answer that did not come to its end."""
        return "\n\n".join(_sources(self._citations, self._sentences, self._output, index))


def _queries(result: AskResult, output: Output) -> list[str]:
    """The queries over tables that the answer rests on, to be run again by ``rag sql``."""
    return [output.folded(f"SQL: {one_line(query.sql)}", "", _WIDTH) for query in result.queries]


def _answer(answer: Answer, output: Output) -> str:
    return "\n".join([output.folded(continued(printable(answer.text))), *_marks(answer, output)])


def _marks(answer: Answer, output: Output) -> list[str]:
    """A line for everything that did not stand the check, or stands in other words or in doubt."""
    lines = [
        output.style(f"[{sentence.status}] {as_quoted(one_line(sentence.text))}", "33")
        for sentence in unsupported(answer)
    ]
    lines += [
        output.style(f"[{sentence.status}] {as_quoted(one_line(sentence.text))} ({differences})", "33")
        for sentence in answer.sentences
        if sentence.status == "paraphrase" and (differences := _differences(sentence))
    ]
    if answer.confidence is not None and answer.confidence < _SURE:
        lines.append(
            f"[not sure] whether this answers the question (confidence {answer.confidence:.2f}): "
            "the statuses say what stands in the sources"
        )
    if answer.invalid_citations:
        lines.append(f"[invalid citations] {as_quoted(one_line(', '.join(answer.invalid_citations)))}")
    return lines


def _differences(sentence: Sentence) -> str:
    """The words that the sentence adds to its source and those that it leaves out; ``""`` when there are none."""
    sides = (("adds", sentence.differs.added), ("leaves out", sentence.differs.left_out))
    return "; ".join(f"{verb} “{as_quoted(one_line('”, “'.join(words)))}”" for verb, words in sides if words)


def _sources(citations: Sequence[Citation], sentences: Sequence[Sentence], output: Output, index: Index) -> list[str]:
    return [_source(citation, _statuses(citation.number, sentences), output, index) for citation in citations]


def _source(citation: Citation, statuses: Sequence[str], output: Output, index: Index) -> str:
    where = place(citation.source, citation.page, citation.lines)
    path = index.source_path(citation.source) if index.config.answer.link and output.styled(sys.stdout) else None
    if path is not None:
        where = link(where, path, citation.page)
    dated = f", in force since {citation.effective_date}" if citation.effective_date else ""
    title = output.style(heading(citation.title, citation.heading_path), "1")
    lines = [f"[{citation.number}] {title}", f"    {where}{dated}"]
    if citation.quote:  # its further lines stand one column deeper, where none of them looks like a line of ours
        quote = f"“{as_quoted(one_line(citation.quote))}”"
        lines.append(output.folded(quote, "     ", _WIDTH)[1:])
    return "\n".join([*lines, f"    {', '.join(statuses)}"])


def _statuses(number: int, sentences: Sequence[Sentence]) -> list[str]:
    """The statuses of the sentences that cite a source, each once, in the order of the answer."""
    return list(dict.fromkeys(sentence.status for sentence in sentences if number in sentence.citations))
