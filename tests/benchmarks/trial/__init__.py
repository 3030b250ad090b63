"""Questions of a new user over files of many kinds, each answer judged by a person who read it.

``own.jsonl`` asks about the files under ``own/``, which were written for it; the others about public collections.
"""
