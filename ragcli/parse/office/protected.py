"""Office files under a password: opened with those that are known."""

from __future__ import annotations

import io
from collections.abc import Iterator

from ragcli.errors import ParseError
from ragcli.parse.conditions import PASSWORDS
from ragcli.parse.source import Context, Outcome, Source


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """The decrypted file as a source. Raises ParseError when no known password opens it."""
    import msoffcrypto
    from msoffcrypto.exceptions import DecryptionError, FileFormatError, InvalidKeyError

    hint = "set RAG_PDF_PASSWORDS or ingest.passwords"
    for password in (*context.passwords, "VelvetSweatshop"):  # Excel's own default password
        output = io.BytesIO()
        try:
            file = msoffcrypto.OfficeFile(io.BytesIO(source.data))
            file.load_key(password=password)
            file.decrypt(output)
        except (InvalidKeyError, DecryptionError):
            continue
        except (FileFormatError, OSError, ValueError, KeyError) as error:
            raise ParseError(f"{source.doc_id}: not a readable protected Office file: {error}") from error
        yield Source(source.doc_id, output.getvalue())
        return
    context.conditions.add(PASSWORDS)
    raise ParseError(f"{source.doc_id}: encrypted Office file, and no known password opens it", hint=hint)
