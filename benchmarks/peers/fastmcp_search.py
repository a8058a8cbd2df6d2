"""FastMCP's ranker by itself: reads ``{texts, queries}`` as JSON from stdin, writes ``{build, searches}`` in seconds.

Run by the interpreter of the environment that has FastMCP.
"""

import json
import sys
import time

from fastmcp.server.transforms.search.bm25 import _BM25Index

told = json.load(sys.stdin)
began = time.perf_counter()
index = _BM25Index()
index.build(told["texts"])
built = time.perf_counter() - began
searches = []
for query in told["queries"]:
    began = time.perf_counter()
    index.query(query, 20)
    searches.append(time.perf_counter() - began)
json.dump({"build": built, "searches": searches}, sys.stdout)
