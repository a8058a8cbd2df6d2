"""Which requests of a link have no answer yet."""

from __future__ import annotations

from mcp.shared.dispatcher import coerce_request_id
from mcp.types.jsonrpc import JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from pegboard.sources.mcp.frames import Id


class Waiting:
    """The requests that were sent and have no answer yet. Lives as long as its link. ``ids`` are theirs."""

    def __init__(self) -> None:
        self.ids: set[Id] = set()

    def sent(self, message: JSONRPCMessage) -> None:
        """A message goes out."""
        if isinstance(message, JSONRPCRequest):
            self.ids.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self.ids.discard((message.params or {}).get("requestId", ""))

    def received(self, message: JSONRPCMessage) -> None:
        """A message has come in. An error without an id gets that of the only request it can be about."""
        if isinstance(message, JSONRPCError) and message.id is None and len(self.ids) == 1:
            # A server that could not read a request does not know its id; with one open it can only be that.
            message.id = next(iter(self.ids))
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            self.ids.discard(coerce_request_id(message.id))
