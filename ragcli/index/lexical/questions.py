"""The BM25 terms of a question, in the languages of what it is asked of."""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.index.lexical import analysis
from ragcli.index.lexical.bm25 import without_stop_words
from ragcli.language.stems import stemmer_name


def question_terms(query: str, languages: Sequence[str], stop_words: bool) -> dict[str, int]:
    """Each term with how often the question says it; ``stop_words`` leaves out the words that are in such lists.

    A question of nothing but stop words keeps them.
    """
    found = analysis.query_terms(query, languages)
    if not stop_words:
        return found
    kept: set[str] = set()
    for language in languages:
        name = stemmer_name(analysis.base_language(language))
        words = analysis.plain_words(query)
        content = without_stop_words(words, name) if name else set(words)
        kept.update(analysis.query_terms(" ".join(sorted(content)), [language]))
    return {term: count for term, count in found.items() if term in kept} or found
