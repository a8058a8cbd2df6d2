"""What an upstream says of its skills, to skills of ours: each alone, so that a bad one costs only itself. Pure.

An entry is held to the bounds and rules of the format that skills of folders are held to. Nothing of a skill is read
for it: the entry says what there is, and what was read later is held against it.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, Final

from pegboard.frozen import frozen, thawed
from pegboard.naming import legal_name
from pegboard.registry import Problem
from pegboard.skills.discovery import FILE
from pegboard.skills.fields import fields_of
from pegboard.skills.front_matter import FrontMatter
from pegboard.skills.options import MAX_FILE_BYTES
from pegboard.skills.problems import Findings, SetAsideError
from pegboard.skills.published.addresses import steps_below
from pegboard.skills.published.manifest import MAX_BYTES, MAX_FILES, FileFacts
from pegboard.skills.published.media import FOLDER
from pegboard.skills.splitting import MAX_FRONT_MATTER
from pegboard.sources.mcp.noise import visible
from pegboard.sources.mcp.offer import END, File, Offer
from pegboard.sources.mcp.spec import UpstreamSpec, prefix_of
from pegboard.tools import JsonObject

MAX_SKILLS: Final = 1_000
"""Skills of one upstream; as many as a catalog of folders has."""

MAX_DEPTH: Final = 32
"""Segments of a skill's path, and of a file's in its folder."""

_DIGEST: Final = re.compile(r"sha256:([0-9a-f]{64})")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


class BadOfferError(Exception):
    """An entry that no skill can be made of. The text says why, for the end of a sentence."""


@dataclass(frozen=True)
class Offers:
    """What became of a listing. Immutable."""

    offers: tuple[Offer, ...] = ()
    problems: tuple[Problem, ...] = ()


def label_of(spec: UpstreamSpec) -> str:
    """What stands for an upstream in addresses of its skills; no name of a skill has a dot."""
    return f"{prefix_of(spec.name)}.mcp"


def from_entries(spec: UpstreamSpec, entries: Iterable[Any]) -> Offers:
    """The skills of the entries of ``skills/list``, in their order."""
    return _taken_in(spec, entries, _from_entry)


def from_resources(spec: UpstreamSpec, resources: Iterable[Any]) -> Offers:
    """The skills of ``resources/list``: each ``SKILL.md`` under ``skill://``, and what is listed below its folder.

    Nothing holds of their files, and the front matter is known only when it is read.
    """
    listed = [one for one in resources if isinstance(one, Mapping) and isinstance(one.get("uri"), str)]
    files = [one for one in listed if one["uri"].startswith("skill://") and one.get("mimeType") != FOLDER]
    uris = sorted(one["uri"] for one in files)
    documents = [one for one in files if one["uri"].endswith(END)][:MAX_SKILLS]
    return _taken_in(spec, documents, lambda spec, item: _from_resource(spec, item, uris))


def _taken_in(spec: UpstreamSpec, items: Iterable[Any], make: Callable[[UpstreamSpec, Any], Offer]) -> Offers:
    offers: dict[str, Offer] = {}
    places: set[tuple[str, ...]] = set()
    problems: list[Problem] = []
    for item in items:
        uri = item.get("uri") if isinstance(item, Mapping) else None
        try:
            offer = _named(make(spec, item), offers, spec)
            if offer.place in places:
                raise BadOfferError("has the path of a skill that came before it in the list")
        except BadOfferError as error:
            shown = visible(uri, 200) if isinstance(uri, str) else "a skill"
            problems.append(Problem(source=spec.name, name=shown, reason=f"The skill is left out: it {error}."))
            continue
        places.add(offer.place)
        offers[offer.name] = offer
    return Offers(tuple(offers.values()), tuple(problems))


def _named(offer: Offer, taken: Mapping[str, Offer], spec: UpstreamSpec) -> Offer:
    """An offer under a name that no other of the list has."""
    if offer.name not in taken:
        return offer
    return replace(offer, name=legal_name("/".join(offer.place), spec.tool_prefix))


def _from_entry(spec: UpstreamSpec, entry: Any) -> Offer:
    if not isinstance(entry, Mapping):
        raise BadOfferError("is no object")
    place = place_of(entry.get("uri"))
    front, listed = entry.get("frontmatter"), entry.get("resources")
    if not isinstance(front, Mapping):
        raise BadOfferError("has no frontmatter object")
    if listed == "dynamic":
        files, complete = {FILE: File(uri=entry["uri"], facts=None)}, False
    elif isinstance(listed, list):
        files, complete = dict(_files(entry["uri"].removesuffix(END), listed)), True
    else:
        raise BadOfferError('has neither a list of resources nor "dynamic"')
    if FILE not in files or files[FILE].uri != entry["uri"]:
        raise BadOfferError(f"has no {FILE} among its resources")
    if (facts := files[FILE].facts) is not None and facts.size > MAX_FILE_BYTES:
        raise BadOfferError(f"has a {FILE} of {facts.size:,} bytes; {MAX_FILE_BYTES:,} are accepted")
    return _offer(
        spec, entry["uri"], place, _told(front, place[-1]), front=_kept(front), files=files, complete=complete
    )


def _from_resource(spec: UpstreamSpec, item: Any, uris: Sequence[str]) -> Offer:
    place = place_of(item["uri"])
    front = {"name": place[-1], "description": item.get("description")}
    root = item["uri"].removesuffix(END)
    first = bisect_left(uris, f"{root}/")
    below = takewhile(lambda uri: uri.startswith(f"{root}/"), uris[first : first + MAX_FILES])
    files = {path: File(uri=uri, facts=None) for uri in below if (path := _inside(root, uri)) is not None}
    return _offer(spec, item["uri"], place, _told(front, place[-1]), front=None, files=files, complete=False)


def _offer(spec: UpstreamSpec, uri: str, place: tuple[str, ...], description: str, **rest: Any) -> Offer:
    facts = [
        (path, file.uri, file.facts and (file.facts.digest, file.facts.size)) for path, file in rest["files"].items()
    ]
    front = rest["front"]
    told = json.dumps([uri, description, thawed(front), sorted(facts)], sort_keys=True)
    return Offer(
        name=legal_name("-".join(place), spec.tool_prefix),
        bare_name=place[-1],
        description=description,
        source=spec.name,
        uri=uri,
        place=place,
        published_path=(label_of(spec), *place),
        digest=hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest(),
        **rest,
    )


def place_of(uri: Any) -> tuple[str, ...]:
    """The path of the skill whose ``SKILL.md`` has this address, under any scheme. Raises BadOfferError."""
    scheme = _SCHEME.match(uri) if isinstance(uri, str) else None
    if scheme is None or not uri.endswith(END):
        raise BadOfferError(f"has no address that ends in {END}")
    *path, _ = steps_below(scheme[0], uri) or ("",)
    if not 0 < len(path) <= MAX_DEPTH:
        raise BadOfferError("has an address that leads elsewhere than it says")
    return tuple(path)


def _inside(root: str, uri: str) -> str | None:
    """The path of a file in a skill's folder; None for an address that is not in it."""
    steps = steps_below(f"{root}/", uri)
    return None if steps is None or len(steps) > MAX_DEPTH else "/".join(steps)


def _files(root: str, listed: list[Any]) -> Iterator[tuple[str, File]]:
    """The files of a manifest. Raises BadOfferError for one that hosts need not accept, or that is not true."""
    if len(listed) > MAX_FILES:
        raise BadOfferError(f"has {len(listed):,} files; {MAX_FILES} are accepted")
    seen, total = set(), 0
    for one in listed:
        uri = one.get("uri") if isinstance(one, Mapping) else None
        path = _inside(root, uri) if isinstance(uri, str) else None
        if not isinstance(uri, str) or path is None:
            raise BadOfferError(f"lists a file that is not in its folder: {visible(repr(uri), 120)}")
        digest, size = _DIGEST.fullmatch(str(one.get("digest"))), one.get("size")
        if digest is None or isinstance(size, bool) or not isinstance(size, int) or size < 0:
            raise BadOfferError(f"lists {visible(path, 120)!r} without a sha256 digest and a size")
        if path in seen:
            raise BadOfferError(f"lists {visible(path, 120)!r} twice")
        seen.add(path)
        total += size
        if total > MAX_BYTES:
            raise BadOfferError(f"has more than {MAX_BYTES // 2**20} MiB of files")
        yield path, File(uri=uri, facts=FileFacts(digest[1], size))


def _told(front: Mapping[str, Any], name: str) -> str:
    """The description that front matter gives, by the rules of the format. Raises BadOfferError."""
    findings = Findings("its SKILL.md")
    try:
        fields = fields_of(FrontMatter(values=_texts(front), lines={}), findings)
    except SetAsideError as error:
        raise BadOfferError(error.problem.message.rstrip(".")) from error
    if fields.name != name:
        raise BadOfferError(f"has the name {visible(fields.name, 80)!r}, but its folder is {visible(name, 80)!r}")
    return fields.description


def _kept(front: Mapping[str, Any]) -> JsonObject:
    try:
        if len(json.dumps(front, ensure_ascii=False).encode("utf-8")) > MAX_FRONT_MATTER:
            raise BadOfferError(f"has front matter of more than {MAX_FRONT_MATTER:,} bytes")
        kept: JsonObject = frozen(front)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadOfferError("has front matter that cannot be told: half a character, or nested too deeply") from error
    return kept


def _texts(front: Mapping[str, Any]) -> dict[str, Any]:
    """Front matter with every scalar as text, as readers of files have it; what is nested is of no interest."""
    return {
        key: value if isinstance(value, str | list | dict) or value is None else json.dumps(value)
        for key, value in front.items()
    }
