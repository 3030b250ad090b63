"""Tables of documents, queried: cells from their text, types of columns, SQL in a process of its own."""
