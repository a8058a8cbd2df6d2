"""The Pegboard: what one process offers, and where boards are opened."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pegboard.approval import Approver, checked_approver
from pegboard.auth import AllowAll, Policy, Principal, checked_policy, checked_principal
from pegboard.board import Board
from pegboard.board_skills import choice_of
from pegboard.board_tools import META_NAMES
from pegboard.catalog import Catalog, name_set
from pegboard.composition import Collisions, Composer
from pegboard.context_map import ContextMap
from pegboard.dispatch import Dispatcher
from pegboard.drift import DriftLog, OnDrift, checked_on_drift
from pegboard.errors import NotFoundError
from pegboard.given import check_given, each
from pegboard.keeping import GuardedStore, no_board
from pegboard.limits import Limits
from pegboard.listeners import Listeners, Unsubscribe
from pegboard.peg_status import told_of
from pegboard.pin_store import ManagedStore, MemoryPinStore, PinStore
from pegboard.preparing import Preparation, Prepares
from pegboard.profiles import profiles_of
from pegboard.receipts import ReceiptSink
from pegboard.registry import Source, SourceStatus, ToolRegistry
from pegboard.skill_choice import SkillChoice
from pegboard.skill_source import SkillEntry, Skills, SkillSource, sources_in
from pegboard.skill_tools import SKILL_TOOLS
from pegboard.source_set import SourceSet
from pegboard.usage.leads import Leads
from pegboard.view import View

if TYPE_CHECKING:
    from pegboard.search.rankers import Ranker
    from pegboard.usage.learning import Usage

logger = logging.getLogger(__name__)


class Pegboard:
    """Everything one process offers: registries, sources, policy, ranker. Process-wide; opens boards.

        async with Pegboard([registry], sources=[upstream]) as peg:
            board = await peg.open()

    ``registries`` come first in the catalog, then those of the ``sources``. ``policy`` is asked wherever a principal
    is present (default: allow everything); ``store`` keeps boards (default: in memory); ``ranker`` searches (default:
    LexicalRanker). ``receipts`` gets one for each call; with ``receipts_mandatory`` no tool runs before it has taken
    one, and with ``receipts_searches`` they hold the words that were searched for and the names that were found.
    ``collisions`` says what happens to the later of two tools of one name (default: ``refuse``).
    ``profiles`` replaces which meta-tools a profile shows. ``on_drift`` says what is done about a definition that
    changes after a board has shown it (default: ``accept``; see ``pegboard.drift``). ``context`` says where values of
    calls' contexts come from, where neither the board nor the call was given them. ``skills`` are one SkillCatalog or
    several, in their order of precedence, before the skills of ``sources``; ``pin_skill_tools`` says whether
    activating one loads the tools that it names. ``usage`` learns from searches that led to calls, and has what was
    learned reorder what later searches find (default: nothing is learned). A ranker that has much to make of a catalog,
    as HybridRanker has, begins when the Pegboard starts, and anew after each change, beside calls; without ``prepare``,
    searches make it.

    Raises DefinitionError for a profile that names what is no meta-tool, and CollisionError when two of ``registries``
    have a tool of one name and ``collisions`` is ``refuse``, or when a tool has the name of a meta-tool. Raises
    PolicyError for a policy that is none, DefinitionError for any other part that is none, and ValueError for an
    unknown ``collisions`` or ``on_drift``.
    """

    def __init__(
        self,
        registries: Iterable[ToolRegistry] = (),
        *,
        sources: Iterable[Source] = (),
        policy: Policy | None = None,
        approver: Approver | None = None,
        store: PinStore | None = None,
        ranker: Ranker | None = None,
        limits: Limits | None = None,
        collisions: Collisions = "refuse",
        profiles: Mapping[str, Sequence[str]] | None = None,
        receipts: ReceiptSink | None = None,
        receipts_mandatory: bool = False,
        receipts_searches: bool = False,
        on_drift: OnDrift = "accept",
        context: ContextMap | None = None,
        skills: SkillSource[Any] | Iterable[SkillSource[Any]] | None = None,
        pin_skill_tools: bool = True,
        usage: Usage | None = None,
        prepare: bool = True,
    ) -> None:
        check_given(store=store, ranker=ranker, limits=limits, receipts=receipts, context=context, usage=usage)
        registries, sources = each("registries", registries), each("sources", sources)
        self.limits = limits or Limits()
        self.policy: Policy = AllowAll() if policy is None else checked_policy(policy)
        self.store = MemoryPinStore() if store is None else store
        self.on_drift = checked_on_drift(on_drift)
        self.context = context or ContextMap()
        self.pin_skill_tools = pin_skill_tools
        self.usage = usage
        self.drifts = DriftLog()
        self.accepted: dict[str, str] = {}
        self.profiles = profiles_of(profiles)
        self._ranker = ranker
        self._sources = SourceSet()
        self._composer = Composer(self._sources, collisions, META_NAMES, SKILL_TOOLS)
        self._sources.on_change(self._catalog_changed)
        self._preparation: Preparation | None = None
        if prepare and ranker is not None and isinstance(ranker, Prepares):
            self._preparation = Preparation(ranker, lambda: self.catalog)
        self._listeners = Listeners[[]]()
        self._boundary_listeners = Listeners[[str]]()
        self.dispatcher = Dispatcher(
            policy=self.policy,
            limits=self.limits,
            approver=checked_approver(approver),
            sink=receipts,
            mandatory=receipts_mandatory,
        )
        # What a meta-tool does is authorized by what it touches, not by its own name; and it never has to wait.
        self.meta_dispatcher = Dispatcher(
            policy=AllowAll(), limits=self.limits, sink=receipts, places=None, searches=receipts_searches
        )
        for registry in registries:
            self._sources.attach(registry)
        for brought in sources_in(skills):
            self._sources.attach_skills(brought)
        self._composer.refuse_collisions()
        for source in sources:
            self._sources.include(source)

    async def __aenter__(self) -> Pegboard:
        await self.start()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Start every source, side by side, in the background. Does nothing when they have been started."""
        await self._sources.start()
        if self._preparation is not None:
            self._preparation.start()

    async def stop(self) -> None:
        """Stop every source that was started, side by side, and close the store. What fails is logged.

        A store opens again when it is used again.
        """
        if self._preparation is not None:
            await self._preparation.stop()
        await self._sources.stop()
        if self.usage is not None:
            await self.usage.close()
        if isinstance(self.store, ManagedStore):
            try:
                await self.store.close()
            except Exception:
                logger.exception("the store did not close cleanly")

    def set_policy(self, policy: Policy | None) -> None:
        """Have another policy decide, from now on and everywhere at once; None allows everything.

        Open boards hide what is no longer to be discovered as soon as they look, and who listens for changes is told.
        A call that has been decided about runs on. Raises PolicyError for what is no policy.
        """
        self.policy = AllowAll() if policy is None else checked_policy(policy)
        self.dispatcher = replace(self.dispatcher, policy=self.policy)
        self._listeners.tell()

    async def add_source(self, source: Source) -> None:
        """Add a source, and start it when the others have been started.

        Raises CollisionError when there is one of its name.
        """
        await self._sources.add(source)

    async def remove_source(self, name: str) -> None:
        """Stop a source and take its tools out of the catalog. Does nothing when there is none of that name."""
        await self._sources.remove(name)

    async def replace_source(self, source: Source, *, patience: float = 30.0) -> None:
        """Put a source in the place of the one of its name, then stop that one; add it where there is none.

        The old one serves until the new one is ready or has failed its first try, at most ``patience`` seconds
        (default: an upstream's own start timeout), so that its tools do not vanish in between.
        """
        await self._sources.replace(source, patience)

    async def ready(
        self,
        timeout: float | None = None,
        *,
        sources: Iterable[Source] | None = None,
        enough: Callable[[], bool] = lambda: False,
    ) -> tuple[str, ...]:
        """Wait until every source has brought its first listing or failed its first try, at most ``timeout`` seconds.

        Gives the names of those that have done neither. ``sources`` are those to wait for (default: all), and
        ``enough()``, asked after every change of the catalog, ends the waiting for all of them.
        """
        return await self._sources.ready(timeout, sources, enough)

    def missing(self, view: View | None = None) -> tuple[SourceStatus, ...]:
        """The sources that have nothing in the catalog because they are not ready: idle, starting or failed.

        With ``view``, those that have none in it: whether a source has brought others is nothing to tell its caller.
        """
        away = self._sources.away()
        if view is None or not away:
            return tuple(state for state in away if not state.tools and not state.skills)
        brought = {tool.source for tool in view.catalog.all() if view.seen(tool.name) is not None}
        brought |= {skill.source for skill in view.skills}
        return tuple(state for state in away if state.name not in brought)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources, in order."""
        return self._sources.all

    @property
    def ranker(self) -> Ranker:
        """The ranker in force."""
        if self._ranker is None:
            from pegboard.search import LexicalRanker

            self._ranker = LexicalRanker()
        return self._ranker

    async def ranker_for(self, principal: Principal | None) -> Ranker:
        """The ranker in force, with what counts for a principal of what was learned from use."""
        return self.ranker if self.usage is None else await self.usage.ranker(self.ranker, principal)

    @property
    def catalog(self) -> Catalog:
        """The catalog of this moment. A new one, of the next generation, after every change of a registry."""
        return self._composer.catalog(self._ranker)

    @property
    def skills(self) -> Skills[SkillEntry]:
        """Every skill of this moment, in lookup order; a board's ``view`` has those that its principal may discover.

        What a skill says is asked of the source that brings it: ``peg.catalog.source_of(skill)``.
        """
        return self.catalog.skills

    def on_change(self, listener: Callable[[], None]) -> Unsubscribe:
        """Call ``listener()`` after every change of the catalog or the policy. Returns a function that stops it."""
        return self._listeners.add(listener)

    def on_boundary(self, listener: Callable[[str], None]) -> Unsubscribe:
        """Call ``listener(board_id)`` after every boundary of a board. Returns a function that stops it."""
        return self._boundary_listeners.add(listener)

    def boundary_made(self, board_id: str) -> None:
        """A board says that it has made a boundary."""
        self._boundary_listeners.tell(board_id)

    def accept_drift(self, name: str, digest: str | None = None) -> None:
        """Accept a changed definition on every board, until the process ends: each shows it from its next boundary on.

        ``digest`` says which one was looked at (default: the catalog's of this moment): a later change is not accepted
        with it. Raises NotFoundError when there is no such tool.
        """
        tool = self.catalog.get(name)
        if tool is None:
            raise NotFoundError(name)
        self.accepted[name] = digest or tool.digest
        self.drifts.forget(name)

    def status(self) -> dict[str, Any]:
        """How the sources and the store are doing, what was set aside, which definitions changed, who waits, as JSON.

        Also how encoders are doing, where the ranker has any. What is told of the store and of these is as of their
        last use.
        """
        return told_of(self, self._ranker)

    async def open(
        self,
        principal: Principal | None = None,
        board_id: str | None = None,
        *,
        surface: str = "python",
        context: Mapping[str, Any] | None = None,
        allowed: Iterable[str] | None = None,
        profile: str = "python",
        store: PinStore | None = None,
        for_calls: bool = False,
        skills: SkillChoice | Iterable[str] | None = None,
        leads: Leads | None = None,
    ) -> Board:
        """Open a board: a new one, or that of ``board_id`` as it was at its last boundary.

        ``context`` holds values for every call of this board; ``allowed`` the names of the tools it may show and call
        (default: all; empty: none; unknown names are ignored); ``profile`` which meta-tools it has; ``store`` where it
        is kept (default: where the Pegboard keeps boards). ``skills`` says which skills it may use (default: all), as
        names that the principal may discover; or as a SkillChoice, which also says which of them it begins with, and
        to which unknown names mean nothing. A new board that is opened ``for_calls`` alone lists nothing, and asks no
        policy about all the tools there are. ``leads`` are what searches of a conversation found so far, where
        it goes on on another board of the same principal.

        Raises BoardError for an id that does not exist or is somebody else's, StoreError when the store fails,
        ValueError for an unknown profile, TypeError for an ``allowed`` or ``skills`` that cannot be a list of names,
        NoSkillError for a name in ``skills`` that no skill has, once all that bring skills are ready, PrincipalError
        for what is no principal.
        """
        if allowed is not None and not isinstance(allowed, Iterable):
            raise TypeError(f"allowed is {allowed!r}; give the names of tools, [] for none of them, or None for all")
        if principal is not None:
            checked_principal(principal)
        if profile not in self.profiles:
            raise ValueError(f"unknown profile {profile!r}; there are {', '.join(sorted(self.profiles))}")
        owner = principal.key if principal else None
        guarded = GuardedStore(self.store if store is None else store)
        record = None
        if board_id is not None:
            record = await guarded.load(board_id)
            if record is None or record.owner != owner:
                raise no_board(board_id)
        board = Board(
            self,
            board_id=board_id or secrets.token_urlsafe(24),
            store=guarded,
            record=record,
            principal=principal,
            surface=surface,
            context=dict(context or {}),
            allowed=None if allowed is None else name_set(allowed),
            profile=profile,
            skills=await choice_of(self, principal, skills),
            leads=leads,
        )
        if record is not None or not for_calls:
            await board.begin()
        return board

    def _catalog_changed(self) -> None:
        self._composer.changed()
        if self._preparation is not None:
            self._preparation.changed()
        self._listeners.tell()
