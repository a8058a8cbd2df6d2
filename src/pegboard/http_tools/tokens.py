"""Access tokens of OAuth's client credentials: fetched once for all calls, kept until shortly before they end."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from pegboard.errors import EgressError, ServiceError
from pegboard.http_tools.encoding import form_encoded
from pegboard.http_tools.media import FORM_TYPE
from pegboard.http_tools.request import Auth
from pegboard.http_tools.secrets import FOR_OPERATOR

if TYPE_CHECKING:
    from pegboard.net.replies import Reply

SPARE: Final = 30.0
"""Seconds before its end from which on a token is not used; a tenth of its life where that is less."""
UNTOLD: Final = 300.0
"""Seconds that a token is kept whose end was not told."""
MAX_TOKEN_REPLY: Final = 100_000
"""Bytes of a reply with a token."""

_TOKEN: Final = re.compile(r"[\x21-\x7e]{1,16384}")
_REASON: Final = re.compile(r"[a-z_]{1,40}")

Key = tuple[Auth, bytes]
Post = Callable[[str, Mapping[str, str], bytes], Awaitable["Reply"]]
"""Sends a form to an address: address, headers, body."""


@dataclass(frozen=True)
class Token:
    """One access token. Immutable. ``ends`` is when it is no longer used, by the clock of its keeper."""

    value: str = field(repr=False)
    ends: float


class Tokens:
    """The access tokens of one source. Lives as long as it; used from one event loop.

    Calls that need the same token at once share one fetch. ``clock`` gives seconds.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[Key, Token] = {}
        self._running: dict[Key, asyncio.Task[Token]] = {}

    async def get(self, auth: Auth, secrets: Mapping[str, str], post: Post, *, but: str = "") -> str:
        """The token for ``auth``, asked for with ``post`` where none is kept. One that was refused is named with
        ``but``.

        Raises EgressError, and ServiceError for a reply that is no token.
        """
        key = (auth, _digest(auth, secrets))
        kept = self._kept.get(key)
        if kept is not None and kept.value != but and self._clock() < kept.ends:
            return kept.value
        task = self._running.get(key)
        if task is None:
            task = asyncio.create_task(self._fetched(key, auth, secrets, post), name="access token")
            task.add_done_callback(lambda done: self._settled(key, done))
            self._running[key] = task
        # a caller that gives up does not take the token from the others
        return (await asyncio.shield(task)).value

    async def _fetched(self, key: Key, auth: Auth, secrets: Mapping[str, str], post: Post) -> Token:
        headers, body = _asked(auth, secrets)
        try:
            reply = await post(auth.token_url, headers, body)
        except EgressError as error:
            message = f"No access token: {error.message}"
            raise type(error)(message, rule=error.rule, detail=error.detail, hint=FOR_OPERATOR) from error
        token = self._kept[key] = _token_of(reply, self._clock())
        return token

    def _settled(self, key: Key, task: asyncio.Task[Token]) -> None:
        self._running.pop(key, None)
        if not task.cancelled():
            task.exception()  # asked for, so that nobody warns of one that no caller waited for


def _digest(auth: Auth, secrets: Mapping[str, str]) -> bytes:
    """Tells credentials apart without keeping them: a changed secret wants a token of its own."""
    values = json.dumps([secrets[auth.client_id], secrets[auth.client_secret]])
    return hashlib.sha256(values.encode()).digest()


def _asked(auth: Auth, secrets: Mapping[str, str]) -> tuple[dict[str, str], bytes]:
    """The headers and the form with which a token is asked for, as RFC 6749 has them."""
    user, password = secrets[auth.client_id], secrets[auth.client_secret]
    form = [("grant_type", "client_credentials"), *auth.extra]
    headers = {"Content-Type": FORM_TYPE, "Accept": "application/json"}
    if auth.scopes:
        form.append(("scope", " ".join(auth.scopes)))
    if auth.in_body:
        form += [("client_id", user), ("client_secret", password)]
    else:
        pair = f"{form_encoded(user)}:{form_encoded(password)}"
        headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode('ascii')}"
    return headers, urlencode(form, errors="surrogatepass").encode("ascii")


def _token_of(reply: Reply, now: float) -> Token:
    """The token that a reply gives. Raises ServiceError, which repeats nothing but an error's own word."""
    told = _json(reply.body)
    if not 200 <= reply.status < 300:
        reason = told.get("error")
        said = f": {reason}" if isinstance(reason, str) and _REASON.fullmatch(reason) else ""
        raise _refused(f"the address of tokens answered HTTP {reply.status}{said}", reply.status)
    value, kind = told.get("access_token"), told.get("token_type", "bearer")
    if not isinstance(value, str) or not _TOKEN.fullmatch(value):
        raise _refused("the address of tokens answered without one", reply.status)
    if not isinstance(kind, str) or kind.lower() != "bearer":
        raise _refused("the address of tokens gave one of another type than bearer", reply.status)
    life = _seconds(told.get("expires_in"))
    return Token(value, now + life - min(SPARE, life / 10))


def _json(body: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _seconds(value: Any) -> float:
    """How long a token lives; some services tell it as text."""
    try:
        seconds = UNTOLD if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return UNTOLD
    return seconds if 0 <= seconds < 1e9 else 0.0


def _refused(why: str, status: int) -> ServiceError:
    return ServiceError(f"No access token: {why}.", hint=FOR_OPERATOR, data={"status": status})
