"""The client of a source that is given none. The HTTP library is loaded when one is made, not before."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pegboard.net.client import HttpClient


def new_client() -> HttpClient:
    """A client with Pegboard's own limits, for one source."""
    from pegboard.net.client import HttpClient

    return HttpClient()
