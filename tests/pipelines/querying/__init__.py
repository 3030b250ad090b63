"""Tests of queries over tables."""
