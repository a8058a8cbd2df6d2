"""How many calls may run at once: of one tool, of one source, of all. No I/O.

A call takes a place at each of its gates, all at the same moment or none, in the order in which calls came; a call
that waits at a full gate holds up nobody at the others. A call made from inside another one may use the place that
the outer one has at the same gate, one such call at a time. One whose place is held by calls that wait for it is
refused at once.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Final
from weakref import WeakKeyDictionary

Gate = tuple[str, ...]
"""What a limit is on: ``(source, tool)``, ``(source,)``, or ``()`` for all calls."""


class StuckError(Exception):
    """A call that would wait for calls which wait for it."""


class Ticket:
    """What one call holds. Lives as long as the call. ``outer`` is that of the call it was made from, if any."""

    def __init__(self, outer: Ticket | None = None) -> None:
        self.outer = outer
        self.places: dict[Gate, _Place] = {}
        self.taken_from: _Gates | None = None

    def leave(self) -> None:
        """Free the places, once the call has ended; those who have waited longest come in."""
        if self.taken_from is not None:
            self.taken_from.leave(self)

    def around(self) -> Iterator[Ticket]:
        """Those of the calls that this one was made from, the nearest first."""
        outer = self.outer
        while outer is not None:
            yield outer
            outer = outer.outer


class Places:
    """The places of one Pegboard. Process-wide; counts for each event loop by itself, and keeps nothing of idle gates.

    An event loop that was closed over its calls takes their places with it.
    """

    def __init__(self) -> None:
        self._of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, _Gates] = WeakKeyDictionary()

    async def take(self, limits: Mapping[Gate, int], outer: Ticket | None = None) -> Ticket:
        """Wait for a place at every gate of ``limits``, which says how many each has; free them with ``leave``.

        Raises StuckError instead of waiting without end.
        """
        ticket = Ticket(outer)
        if not limits:
            return ticket
        loop = asyncio.get_running_loop()
        gates = ticket.taken_from = self._of_loop.setdefault(loop, _Gates())
        gates.allow(limits)
        if (full := gates.enter(ticket, limits)) is not None:
            await gates.wait(_Waiter(ticket, limits, loop.create_future()), full)
        return ticket

    def waiting(self) -> dict[Gate, int]:
        """How many calls wait at each gate that is full, in all event loops."""
        told: dict[Gate, int] = {}
        for gates in list(self._of_loop.values()):
            for gate, state in gates.open.items():
                if state.waiting:
                    told[gate] = told.get(gate, 0) + len(state.waiting)
        return told


class _Place:
    """One place at one gate, held by one call. ``lender`` is the place of an outer call that this one stands in for."""

    __slots__ = ("borrower", "holder", "lender")

    def __init__(self, holder: Ticket, lender: _Place | None) -> None:
        self.holder = holder
        self.lender = lender
        self.borrower: _Place | None = None


class _Waiter:
    """A call in line at ``gate``. Lives until it is let in, or gives up. ``number`` says how early it came."""

    __slots__ = ("future", "gate", "limits", "number", "ticket")

    _numbers: Final = count()

    def __init__(self, ticket: Ticket, limits: Mapping[Gate, int], future: asyncio.Future[None]) -> None:
        self.number = next(self._numbers)
        self.gate: Gate = ()
        self.ticket = ticket
        self.limits = limits
        self.future = future


class _State:
    """One gate that somebody has passed, or needs. ``taken`` counts the places that are not borrowed.

    ``waiting`` are those in line here, ``needed_by`` counts all who wait, here or elsewhere, for a place here too.
    """

    __slots__ = ("held", "limit", "needed_by", "taken", "waiting")

    def __init__(self) -> None:
        self.limit = 0
        self.taken = 0
        self.needed_by = 0
        self.held: set[_Place] = set()
        self.waiting: list[_Waiter] = []

    @property
    def has_room(self) -> bool:
        """Whether it has a place that nobody holds."""
        return self.taken < self.limit


class _Gates:
    """The gates of one event loop. A waiter stands in line at one gate that had no room for it."""

    def __init__(self) -> None:
        self.open: dict[Gate, _State] = {}

    def allow(self, limits: Mapping[Gate, int]) -> None:
        """Set how many places the gates have: a limit may change while calls run."""
        raised = []
        for gate, limit in limits.items():
            state = self.open.setdefault(gate, _State())
            if limit > state.limit and state.waiting:
                raised.append(gate)
            state.limit = limit
        self._let_in(raised)

    def enter(self, ticket: Ticket, limits: Mapping[Gate, int]) -> Gate | None:
        """Take a place at every gate and give None, or take none and give the gate that has no room."""
        lenders: dict[Gate, _Place | None] = {}
        for gate in limits:
            if self.open[gate].has_room:
                lenders[gate] = None
            elif (lender := _lent_to(ticket, gate)) is None or lender.borrower is not None:
                return gate
            else:
                lenders[gate] = lender
        for gate, lender in lenders.items():
            self._seat(ticket, gate, lender)
        return None

    async def wait(self, waiter: _Waiter, gate: Gate) -> None:
        """Stand in line until let in. Whoever is cancelled meanwhile leaves nothing behind."""
        for needed in waiter.limits:
            self.open[needed].needed_by += 1
        self._line_up(waiter, gate)
        try:
            if self._is_stuck(waiter):
                raise StuckError
            await waiter.future
        except BaseException:
            self._step_out(waiter)
            self.leave(waiter.ticket)
            raise
        finally:
            for needed in waiter.limits:
                self.open[needed].needed_by -= 1
            self._forget(waiter.limits)

    def leave(self, ticket: Ticket) -> None:
        """Free what ``ticket`` holds."""
        returned = False
        for gate, place in ticket.places.items():
            state = self.open[gate]
            state.held.discard(place)
            returned |= place.lender is not None
            state.taken -= _hand_back(place)
        gates = list(ticket.places)
        ticket.places = {}
        self._let_in(gates)
        if returned:
            self._let_in_borrowers(gates)
        self._forget(gates)

    def _seat(self, ticket: Ticket, gate: Gate, lender: _Place | None) -> None:
        state, place = self.open[gate], _Place(ticket, lender)
        ticket.places[gate] = place
        state.held.add(place)
        if lender is None:
            state.taken += 1
        else:
            lender.borrower = place

    def _let_in(self, gates: Iterable[Gate]) -> None:
        """Let in whoever has waited longest at gates that have room; who finds another one full waits there."""
        states = [self.open[gate] for gate in gates]
        while ready := [state for state in states if state.waiting and state.has_room]:
            waiter = min((state.waiting for state in ready), key=lambda line: line[0].number).pop(0)
            self._admit(waiter)

    def _let_in_borrowers(self, gates: Iterable[Gate]) -> None:
        """Let in those who may stand in for an outer call again, wherever they are in line."""
        for state in [self.open[gate] for gate in gates]:
            for waiter in [waiter for waiter in state.waiting if waiter.ticket.outer is not None]:
                self._step_out(waiter)
                self._admit(waiter)

    def _admit(self, waiter: _Waiter) -> None:
        full = self.enter(waiter.ticket, waiter.limits)
        if full is not None:
            self._line_up(waiter, full)
        elif not waiter.future.done() and not waiter.future.get_loop().is_closed():
            waiter.future.set_result(None)

    def _line_up(self, waiter: _Waiter, gate: Gate) -> None:
        waiter.gate = gate
        insort(self.open[gate].waiting, waiter, key=_number)

    def _step_out(self, waiter: _Waiter) -> None:
        """Take a waiter out of its line, if it is still there."""
        state = self.open.get(waiter.gate)
        line = state.waiting if state else []
        at = bisect_left(line, waiter.number, key=_number)
        if at < len(line) and line[at] is waiter:
            del line[at]

    def _forget(self, gates: Iterable[Gate]) -> None:
        for gate in gates:
            state = self.open.get(gate)
            if state is not None and not state.held and not state.needed_by:
                del self.open[gate]

    def _is_stuck(self, newcomer: _Waiter) -> bool:
        """Whether nobody who holds what ``newcomer`` needs can end before it has been let in.

        A call that has an inner one in line counts as waiting for it. All are taken for stuck but those who can be
        shown to come in some day, until no more can be shown.
        """
        if newcomer.ticket.outer is None:
            return False  # it holds nothing, so nobody waits for it
        stuck = {waiter for state in self.open.values() for waiter in state.waiting if waiter.ticket.outer is not None}
        while newcomer in stuck:
            blocked = {ticket for waiter in stuck for ticket in waiter.ticket.around()}
            moving = {waiter for waiter in stuck if all(self._opens(gate, waiter, blocked) for gate in waiter.limits)}
            if not moving:
                return True
            stuck -= moving
        return False

    def _opens(self, gate: Gate, waiter: _Waiter, blocked: set[Ticket]) -> bool:
        state, lender = self.open[gate], _lent_to(waiter.ticket, gate)
        if state.has_room or (lender is not None and lender.borrower is None):
            return True
        around = set(waiter.ticket.around())
        return any(
            place.holder not in blocked and (place.lender is None or place.lender.holder in around)
            for place in state.held
        )


def _number(waiter: _Waiter) -> int:
    return waiter.number


def _lent_to(ticket: Ticket, gate: Gate) -> _Place | None:
    """The place at a gate of the nearest call around this one that has any."""
    return next((outer.places[gate] for outer in ticket.around() if gate in outer.places), None)


def _hand_back(place: _Place) -> int:
    """Undo a place; gives how many this frees. A call that outlives the one it stood in for keeps the place."""
    lender, borrower = place.lender, place.borrower
    if borrower is not None:
        borrower.lender = lender
    if lender is not None:
        lender.borrower = borrower
    return 0 if lender is not None or borrower is not None else 1
