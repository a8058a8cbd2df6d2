"""What a header may be. Pure; loads no HTTP client, so that files can be checked without one."""

from __future__ import annotations

import re
from typing import Final

TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
"""The name of a header."""

UNSAFE: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
"""What may not stand in a header's value."""

OURS: Final = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade", "expect"}
    | {"proxy-authorization", "proxy-connection", "accept-encoding"}
)
"""Headers that frame a message or name whom it is for: the client sets them, nobody else."""
