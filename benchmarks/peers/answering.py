"""What a peer finds, and how long it takes: in this process, or as a program in an environment of its own.

``python answering.py MODULE INDEX`` reads ``{texts, needs, limit}`` as JSON from stdin and writes the same answers as
JSON. A peer is a module beside this one with a function of texts, ``INDEX``, which gives a function of (need, limit):
the places of the texts found, best first.
"""

import importlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

Find = Callable[[str, int], Sequence[int]]
WARM_UP = 10


@dataclass(frozen=True)
class Answers:
    """What a peer came to: seconds for the index and for each need, and the texts found. Immutable."""

    build: float
    searches: list[float]
    found: list[list[int]]


def answers(index: Callable[[Sequence[str]], Find], texts: Sequence[str], needs: Sequence[str], limit: int) -> Answers:
    """Index the texts and ask for each need, after some of them to warm up."""
    began = time.perf_counter()
    find = index(texts)
    built = time.perf_counter() - began
    for need in needs[:WARM_UP]:
        find(need, limit)
    searches, found = [], []
    for need in needs:
        began = time.perf_counter()
        places = find(need, limit)
        searches.append(time.perf_counter() - began)
        found.append(list(places))
    return Answers(built, searches, found)


if __name__ == "__main__":
    told = json.load(sys.stdin)
    peer = importlib.import_module(sys.argv[1])
    json.dump(asdict(answers(getattr(peer, sys.argv[2]), told["texts"], told["needs"], told["limit"])), sys.stdout)
