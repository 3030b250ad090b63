"""What a file's extension says about its text."""

from __future__ import annotations

MARKUP = {".rst": "text/x-rst", ".rest": "text/x-rst", ".adoc": "text/asciidoc", ".asciidoc": "text/asciidoc"}
MARKUP |= {".asc": "text/asciidoc", ".org": "text/org", ".tex": "text/x-tex", ".latex": "text/x-tex"}
_CODE = """
.py .pyi .js .mjs .cjs .ts .tsx .jsx .java .kt .kts .scala .c .h .cc .cpp .cxx .hpp .cs .go .rs .rb
.php .pl .pm .swift .m .mm .lua .r .jl .sh .bash .zsh .fish .ps1 .bat .cmd .sql .yaml .yml .toml
.ini .cfg .conf .properties .css .scss .less .vue .svelte .dart .ex .exs .erl .hs .ml .fs .clj .lisp
.el .vim .tf .proto .graphql .cmake .gradle .groovy .asm .s .f90 .pas .v .sv .vhd .zig .nim .diff
.patch .dockerfile .makefile .mk
"""
CODE = {extension: f"text/x-code-{extension[1:]}" for extension in _CODE.split()}
BY_EXTENSION = {
    **MARKUP,
    **CODE,
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".mdx": "text/markdown",
    ".mkd": "text/markdown",
    ".qmd": "text/markdown",
    ".rmd": "text/markdown",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".log": "text/plain",
    ".srt": "application/x-subrip",
    ".vtt": "text/vtt",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".mhtml": "message/rfc822",
    ".mht": "message/rfc822",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".tab": "text/tab-separated-values",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".ndjson": "application/jsonl",
    ".ipynb": "application/x-ipynb+json",
    ".xml": "application/xml",
    ".nxml": "application/xml",
    ".eml": "message/rfc822",
    ".mbox": "application/mbox",
    ".rtf": "application/rtf",
}
