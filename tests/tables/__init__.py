"""Tests of the room of tables."""
