"""FastMCP's ranker. Run by the interpreter of an environment that has FastMCP."""

import asyncio

from fastmcp.server.transforms.search import BM25SearchTransform
from fastmcp.server.transforms.search.bm25 import _BM25Index
from fastmcp.tools import Tool

MOST = 20
"""What its search tool answers with at most."""


def index(texts):
    """Its index by itself, as its search transform uses it."""
    found = _BM25Index()
    found.build(list(texts))
    return found.query


def transform(texts):
    """Its search transform, which looks before each search whether the tools are still those of its index."""
    tools = [Tool(name=str(place), description=text, parameters={}) for place, text in enumerate(texts)]
    found, loop = BM25SearchTransform(max_results=MOST), asyncio.new_event_loop()

    def find(need, limit):
        return [int(tool.name) for tool in loop.run_until_complete(found._search(tools, need))][:limit]

    find("", 0)
    return find
