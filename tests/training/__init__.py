"""Trains the reading model that ships with the product; nothing here is imported by the product."""
