"""What commands tell of the encoders that searches use: each is tried, since a command makes no use of it before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pegboard.cli.session import Opened
from pegboard.errors import PegboardError
from pegboard.threads import in_thread

if TYPE_CHECKING:
    from pegboard.checking.finding import Finding
    from pegboard.documents.problems import Level
    from pegboard.search.encoder_state import EncoderState


async def encoders_of(now: Opened) -> Sequence[EncoderState]:
    """How the encoders of the ranker are doing now; none for a ranker that has none."""
    if now.settings.ranker != "hybrid":
        return ()
    from pegboard.search.encoder_state import HasEncoders

    ranker = now.peg.ranker
    return await in_thread(ranker.look, name="pegboard-encoders") if isinstance(ranker, HasEncoders) else ()


def known_of_encoders(now: Opened) -> list[str]:
    """Why the encoders that a search has tried cannot be used, and how to mend it, as far as that may be told."""
    from pegboard.search.encoder_state import HasEncoders

    ranker = now.peg.ranker
    states = ranker.encoders() if isinstance(ranker, HasEncoders) else ()
    ours = [one for one in states if not one.usable and isinstance(one.error, PegboardError)]
    named = [(one, "" if one.reason.startswith(one.name) else f"{one.name}: ") for one in ours]
    return [f"{name}{one.reason.rstrip('.')}. {one.mend}" for one, name in named]


async def of_encoders(now: Opened) -> list[Finding]:
    """Why encoders cannot be used. Searches go on by words alone: an error; with another encoder: a warning."""
    from pegboard.documents.problems import Level

    file = now.settings.encoder_file
    if file is not None and not file.is_file():
        return []  # a mistake of the configuration, which is told as such
    states = await encoders_of(now)
    level = Level.WARNING if any(one.usable for one in states) else Level.ERROR
    return [_finding(one, now, level) for one in states if not one.usable]


def _finding(state: EncoderState, now: Opened, level: Level) -> Finding:
    """One encoder that cannot be used, at the file that was to have it, else at the ranker that asks for it."""
    from pegboard.checking.finding import Finding

    own = now.settings.encoder_file
    file = str(own or now.settings.file or "")
    ours = state.error if isinstance(state.error, PegboardError) else None
    line = None if ours is None else ours.data.get("line")
    at = f"{file} " if line is None else f"{file}, line {line}: "
    message = state.reason.removeprefix(at)
    if own is None:
        message = f"the encoder {state.name} cannot be used: {message.rstrip('.')}."
    elif message == state.reason:
        message = f"its encoder cannot be used: {message}."
    return Finding(
        code="configuration",
        level=level,
        message=message,
        hint=state.mend if ours is None else ours.hint,
        file=file,
        line=line,
        key="search.ranker" if own is None else "search.encoder",
    )
