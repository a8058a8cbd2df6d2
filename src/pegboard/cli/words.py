"""Counts in words. Pure."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """How many there are, in words: ``1 tool``, ``2 tools``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
