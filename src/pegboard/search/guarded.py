"""Work with an encoder, kept from failing, stopping or lying to the search that asks for it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from pegboard.search.encoder import EncodingError
from pegboard.search.encoder_state import State
from pegboard.search.process_lock import ProcessLock

logger = logging.getLogger(__name__)

T = TypeVar("T")

RETRY: Final = 60.0
"""Seconds for which an encoder that failed, or was too slow, is left alone; then one search tries it again."""


class Guarded:
    """One encoder's work, a piece at a time, each in a thread. Lives as long as the ranker.

    Safe to use from several threads.
    What takes too long goes on in its thread: nobody waits for it, and nothing else is begun before it has ended.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._free = ProcessLock()
        self._telling = ProcessLock()
        self._rest_until = 0.0
        self._why = ""
        self._last: State = "idle"
        self._error: BaseException | None = None
        self._late = False

    @property
    def state(self) -> tuple[State, str, BaseException | None]:
        """(how the work goes, why it is not used now, what it raised)."""
        if self._free.locked() and (self._late or self._last == "idle"):
            return "working", self._why if self._late else "", None
        return self._last, self._why if self._last == "failed" else "", self._error

    def ask(self, work: Callable[[], T], within: float) -> T:
        """What ``work`` gives, after at most ``within`` seconds.

        Raises EncodingError when it fails, takes longer, or is left alone because it did so a short time ago.
        """
        began = self._now()
        if began < self._rest_until:
            raise EncodingError(self._why)
        if not self._free.acquire(timeout=within):
            with self._telling:
                raise self._slow(within)
        self._check_rest()
        job = _Job(work)
        try:
            threading.Thread(target=self._do, args=(job,), name="pegboard-encoder", daemon=True).start()
        except RuntimeError as error:
            self._free.release()
            raise EncodingError("this process can start no thread for it") from error
        if not job.done.wait(max(0.0, within - (self._now() - began))):
            with self._telling:
                if not job.done.is_set():  # not even at the last moment
                    raise self._slow(within)
        return job.result()

    def finish(self, work: Callable[[], T]) -> T:
        """What ``work`` gives, done in this thread once it is its turn, however long that takes.

        For what nobody waits for. Raises EncodingError when it fails, or is left alone because it failed a short time
        ago.
        """
        self._free.acquire()
        self._check_rest()
        job = _Job(work)
        self._do(job)
        return job.result()

    def _check_rest(self) -> None:
        """Give the turn away, and raise EncodingError, where the encoder is left alone by now."""
        if self._now() < self._rest_until:
            self._free.release()
            raise EncodingError(self._why)

    def _do(self, job: _Job[T]) -> None:
        try:
            job.run()
        finally:
            with self._telling:
                self._ended(job.error)
                self._free.release()
                job.done.set()

    def _ended(self, error: BaseException | None) -> None:
        self._late, self._error = False, error
        if error is None:
            self._rest_until, self._last = 0.0, "ready"
        else:
            self._last = "failed"
            self._failed(error)

    def _failed(self, error: BaseException) -> None:
        # What an encoder says when it fails may hold addresses and keys: it is for the log alone.
        why = str(error) if isinstance(error, EncodingError) else f"it failed with {type(error).__name__}"
        self._rest(why)
        logger.warning("the encoder is left alone for %g seconds: %s", RETRY, why, exc_info=error)

    def _slow(self, within: float) -> EncodingError:
        why = f"it has not answered within {within:g} seconds and is still at work"
        if not self._free.locked():  # what kept this one waiting has just ended
            return EncodingError(f"it has not answered within {within:g} seconds")
        if self._now() >= self._rest_until:
            logger.warning("the encoder is left alone for %g seconds, unless it answers: %s", RETRY, why)
        self._rest(why)
        self._late = True
        return EncodingError(why)

    def _rest(self, why: str) -> None:
        self._why, self._rest_until = why, self._now() + RETRY


class _Job(Generic[T]):
    """One piece of work. Lives until it has ended, which may be after nobody waits any more."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._found: list[T] = []
        self.error: BaseException | None = None
        self.done = threading.Event()

    def run(self) -> None:
        """Do it. Whatever it raises is kept: it would end nothing but the thread."""
        try:
            self._found.append(self._work())
        except BaseException as error:
            self.error = error

    def result(self) -> T:
        """What it gave. Raises EncodingError when it failed."""
        if isinstance(self.error, EncodingError):
            raise self.error
        if self.error is not None:
            raise EncodingError(f"it failed with {type(self.error).__name__}") from self.error
        return self._found[0]
