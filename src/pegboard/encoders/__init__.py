"""Encoders that turn texts into vectors, for the hybrid ranker."""

from pegboard.encoders.minilm import MiniLmEncoder
from pegboard.encoders.static import StaticEncoder

__all__ = ["MiniLmEncoder", "StaticEncoder"]
