"""Questions of a new user over files of many kinds, each answer judged by a person who read it.

``own.jsonl`` and ``club.jsonl`` ask about the files in the folders of their names, which were written for them; the
others about public collections.
"""
