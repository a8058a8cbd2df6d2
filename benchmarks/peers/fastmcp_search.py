"""FastMCP's ranker by itself. Run by the interpreter of an environment that has FastMCP."""

from fastmcp.server.transforms.search.bm25 import _BM25Index


def index(texts):
    """Its index, as its search transform uses it."""
    found = _BM25Index()
    found.build(list(texts))
    return found.query
