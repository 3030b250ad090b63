"""The application: one index with its settings, store and models, behind the front door ``ragcli.Index``."""
