"""Catalogs of skills: ``littleghost_*`` and ``insika_*``, whose vectors lay out files.

- Ruby's ``Integer()`` takes the text of a number and cuts fractions; our limits are whole numbers, so the adapter does
  that. A word or nothing stays what it is.
- Of ``only`` and ``resource_root``, their ``false`` is our None.
- What a file name of theirs says is told with ``<tmp>`` in place of the folder, as they do.
- Where they have no tools for a skill, ours may say nothing of tools: both are an empty list.
- Their ``workspace`` answers whole references: each is a named folder of ours. What their sandbox ``allows`` on it is a
  grant of ours on that folder.
- A root that is missing is an error of the system there, and a ConfigError here.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from pegboard import Pegboard, ToolRegistry
from pegboard.errors import CallError, ConfigError
from pegboard.skill_choice import SkillChoice
from pegboard.skill_prompt import skills_prompt
from pegboard.skills.catalog import SkillCatalog
from pegboard.skills.front_matter import read
from pegboard.skills.problems import Findings, SetAsideError
from pegboard.skills.roots import PathSet, SkillRoot
from pegboard.skills.skill import Skill
from pegboard.skills.workspace import FileGrant, Sandbox, Workspace
from pegboard.tools import ToolResult
from tests.runners.golden.adapter import Adapter, NotBuiltError
from tests.runners.golden.outcome import Comparison, Outcome, Raised, Returned

_loader: Any = import_module("tests.data.golden.loader")

ERRORS: Final[dict[str, type[Exception] | tuple[type[Exception], ...]]] = {
    "LittleGhost::ConfigurationError": (ConfigError, CallError),
    "ArgumentError": ConfigError,
    "TypeError": ConfigError,
}
TRUE: Final = ("1", "true", "yes", "on")


class Tree:
    """The files of a vector, laid out. Lives as long as one run."""

    def __init__(self, files: dict[str, Any]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pegboard-skills-")).resolve()
        _loader.materialise(str(self.folder), files)

    def put(self, value: Any) -> Any:
        """A value of the vector with the folder in place of ``<tmp>``."""
        if isinstance(value, str):
            return value.replace("<tmp>", str(self.folder))
        if isinstance(value, dict):
            return {self.put(key): self.put(member) for key, member in value.items()}
        return [self.put(member) for member in value] if isinstance(value, list) else value

    def told(self, value: Any) -> Any:
        """A value of ours with ``<tmp>`` in place of the folder."""
        if isinstance(value, str):
            return value.replace(str(self.folder), "<tmp>")
        if isinstance(value, dict):
            return {key: self.told(member) for key, member in value.items()}
        return [self.told(member) for member in value] if isinstance(value, list) else value

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def delete(self, path: str) -> None:
        """Remove a file or a folder."""
        target = self.folder / path
        shutil.rmtree(target) if target.is_dir() else target.unlink()

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.folder, ignore_errors=True)


async def littleghost(values: dict[str, Any]) -> Any:
    """A catalog over their files, and what each of their operations gives: see the module."""
    tree = Tree(values["files"])
    before = Path.cwd()
    try:
        os.chdir(tree.folder)
        catalog = _built(tree, values)
        return tree.told([await _operation(catalog, tree, one) for one in values.get("ops", [["names"]])])
    finally:
        os.chdir(before)
        tree.close()


def _built(tree: Tree, values: dict[str, Any]) -> SkillCatalog:
    try:
        return _catalog(tree, values)
    except ConfigError as error:
        raise ConfigError(tree.told(str(error))) from error


class Failing(Workspace):
    """A workspace of somebody else's, which fails in its own words. Immutable."""

    def resolve(self, reference: str) -> Path:
        """Fails."""
        raise ConfigError(f"resource_root {reference} is not available: {self.folders[reference].name}.")


def _catalog(tree: Tree, values: dict[str, Any]) -> SkillCatalog:
    options = tree.put(values.get("options") or {})
    for name in ("max_skills", "max_file_bytes", "max_resource_files"):
        if name in options:
            options[name] = _integer(options[name])
    for name in ("only", "resource_root"):
        options[name] = options.get(name) or None
    paths = tree.put(values["paths"]) if "paths" in values else [str(tree.folder / "r1")]
    workspace, sandbox = _world(tree, values, options["resource_root"])
    return SkillCatalog(_roots(paths), workspace=workspace, sandbox=sandbox, **options)


def _integer(value: Any) -> Any:
    return int(value) if isinstance(value, float) or str(value).lstrip("-").isdecimal() else value


def _roots(paths: Any) -> Any:
    if paths is None or isinstance(paths, str):
        return paths
    return [SkillRoot(path["path"], path.get("boundary")) if isinstance(path, dict) else path for path in paths]


def _world(tree: Tree, values: dict[str, Any], reference: Any) -> tuple[Workspace | None, Sandbox | None]:
    told = tree.put(values.get("workspace"))
    folders = {key.split("://", 1)[-1]: path for key, path in (told or {}).items() if isinstance(path, str)}
    workspace = Workspace(folders) if told is not None else None
    if told and not folders:
        workspace = Failing({key: one["message"] for key, one in told.items()})
    box = tree.put(values.get("sandbox"))
    if box is None:
        return None if values.get("omit_workspace") else workspace, None
    name = str(reference).split("://", 1)[-1]
    allows = box.get("allows", {})
    grants = [FileGrant(one["source"], one["writable"], one["tool_visible"]) for one in box.get("grants", [])]
    if allows.get("filesystem_read") and name in folders:
        grants.insert(0, FileGrant(folders[name], bool(allows.get("filesystem_write"))))
    bound = Workspace({"other": tree.folder}) if box.get("other_workspace") else workspace or Workspace({})
    return None if values.get("omit_workspace") else workspace, Sandbox(bound, grants)


async def _operation(catalog: SkillCatalog, tree: Tree, operation: list[Any]) -> Any:
    name, *arguments = operation
    try:
        if name == "tool":
            return await _called(catalog, arguments[0])
        return OPERATIONS[name](catalog, tree, *arguments)
    except (CallError, ConfigError) as error:
        return Raised(error)


def record(skill: Skill) -> dict[str, Any]:
    """A skill in the shape of the vectors."""
    return {
        "name": skill.name,
        "description": skill.description,
        "instructions": skill.instructions,
        "path": skill.path,
        "source_path": str(skill.source_path),
        "allowed_tools": list(skill.allowed_tools or ()),
        "compatibility": skill.compatibility,
    }


def _spec(catalog: SkillCatalog, tree: Tree) -> Any:
    raise NotBuiltError("the wording of their tool")


OPERATIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "names": lambda catalog, tree: list(catalog.names),
    "each": lambda catalog, tree: [record(skill) for skill in catalog],
    "prompt": lambda catalog, tree: catalog.discovery_prompt(),
    "fetch": lambda catalog, tree, name: record(catalog.fetch(name)),
    "format": lambda catalog, tree, name: catalog.format(catalog.fetch(name)),
    "spec": _spec,
    "write": lambda catalog, tree, path, text: tree.write(path, text),
    "delete": lambda catalog, tree, path: tree.delete(path),
}


async def _called(catalog: SkillCatalog, arguments: Any) -> dict[str, str]:
    """The tool called through a board, as a model calls it."""
    registry = ToolRegistry()
    registry.register(catalog.tool())
    result = await (await Pegboard([registry]).open()).call("skills", arguments)
    assert isinstance(result, ToolResult)
    return {"status": "error" if result.is_error else "success", "content": result.text}


def same_life(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Errors of the system are errors; the text of a refused call has to carry the same facts."""
    told = expected.get("returns")
    if isinstance(told, dict) and "raised" in told:
        return "" if isinstance(got, Raised) and isinstance(got.error, ConfigError) else f"wanted an error, got {got}"
    if isinstance(told, list) and isinstance(got, Returned):
        expected = {"returns": [_facts_only(one, ours) for one, ours in zip(told, got.value, strict=True)]}
    return comparison.outcome(expected, got)


def _facts_only(told: Any, ours: Any) -> Any:
    """A refusal of theirs with our words, where those name the argument that is wrong."""
    if not (isinstance(told, dict) and told.get("status") == "error" and isinstance(ours, dict)):
        return told
    text, wanted = str(ours.get("content")), str(told["content"])
    if wanted.startswith("Unknown skill: "):
        facts = wanted.removeprefix("Unknown skill: ").replace(". Available skills:", ",").split(", ")
        return {**told, "content": text} if all(fact.strip() in text for fact in facts) else told
    named = [word for word in ("skill_name", "x") if f"$.{word} " in wanted]
    return {**told, "content": text} if all(word in text for word in named) else told


def path_set(values: dict[str, Any]) -> Any:
    """Roots as pairs of path and boundary, the working directory being the top."""
    before = Path.cwd()
    try:
        os.chdir("/")
        first = PathSet(_roots(values["paths"]))
        total = first + _roots(values["plus"]) if "plus" in values else None
    finally:
        os.chdir(before)
    return {"first": _pairs(first), "sum": None if total is None else _pairs(total), "first_after": len(first)}


def _pairs(paths: PathSet) -> list[list[str | None]]:
    return [[str(root.path), None if root.boundary is None else str(root.boundary)] for root in paths]


def frontmatter(values: dict[str, Any]) -> Any:
    """Their values are ours before the fields are checked; they give no keys where we say why there are none."""
    try:
        return dict(read(values["text"].removeprefix("\ufeff"), Findings("SKILL.md")).values)
    except SetAsideError as error:
        if error.problem.code == "front-matter-no-table":
            return {}
        raise


async def insika(values: dict[str, Any]) -> Any:
    """A catalog over their roots; their store of authored skills and their scopes of agents have no counterpart.

    Their records have the names of ours; ``triggers`` and ``companions`` are for later and told as they stand empty.
    """
    if values.get("store"):
        raise NotBuiltError("deliberately later: skills that are written at run time, and overrides of one agent")
    tree = Tree(values["files"])
    try:
        roots = [str(tree.folder / root) for root in values.get("roots", ["r1"])]
        catalog = SkillCatalog([SkillRoot(root, tree.folder) for root in roots])
        return tree.told([_insika(catalog, tree, *operation) for operation in values["ops"]])
    finally:
        tree.close()


def _insika(catalog: SkillCatalog, tree: Tree, name: str, *arguments: Any) -> Any:
    return INSIKA[name](catalog, tree, *arguments)


def _their_record(skill: Skill | None) -> dict[str, Any] | None:
    if skill is None:
        return None
    told = record(skill)
    kept = {key: told[key] for key in ("name", "description", "path")} | {"body": skill.instructions}
    return kept | {"triggers": [], "companions": []}


def _choice(profile: dict[str, Any]) -> SkillChoice:
    """Their words for true are ours."""
    always = profile["skills_eager"]
    always = True if always is True or always in TRUE else always
    return SkillChoice(profile["skills"], always if isinstance(always, bool | str | list) else False)


INSIKA: Final[Mapping[str, Callable[..., Any]]] = {
    "all": lambda catalog, tree: [_their_record(skill) for skill in catalog],
    "names": lambda catalog, tree, agent=None: list(catalog.names),
    "find": lambda catalog, tree, name, agent=None: _their_record(catalog.current.get(name or "")),
    "effective": lambda catalog, tree, policy, agent=None: list(SkillChoice(policy).of(catalog.current).names),
    "eager": lambda catalog, tree, profile: list(_choice(profile).begun_with(catalog.current).names),
    "lazy": lambda catalog, tree, profile: list(_choice(profile).on_demand(catalog.current).names),
    "prompt": lambda catalog, tree, names=None: skills_prompt(SkillChoice(names).of(catalog.current)).text,
    "write": lambda catalog, tree, path, text: tree.write(path, text),
    "delete": lambda catalog, tree, path: tree.delete(path),
    "reload": lambda catalog, tree: bool(catalog.reload().names),
    "store": lambda catalog, tree, *told: None,
}


def same_catalog(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Of their prompt the names and descriptions count: ours has the form of the format's own guide."""
    told = expected.get("returns")
    if isinstance(told, list) and isinstance(got, Returned):
        pairs = zip(told, got.value, strict=True)
        expected = {"returns": [ours if _says_the_same(one, ours) else one for one, ours in pairs]}
    return comparison.outcome(expected, got)


def _says_the_same(theirs: Any, ours: Any) -> bool:
    if not (isinstance(theirs, str) and theirs.startswith("<available_skills>") and isinstance(ours, str)):
        return False
    named = [line.strip().split('"')[1] for line in theirs.splitlines() if line.strip().startswith("<skill ")]
    said = [line.rpartition("</skill>")[0].partition(">")[2] for line in theirs.splitlines() if "</skill>" in line]
    return ours.count("<name>") == len(named) and all(word in ours for word in (*named, *said))


async def load_skill(values: dict[str, Any]) -> Any:
    """Their tool gives the body alone, ours the location behind it too: what stands before it is compared.

    Their tool has another name and description; their trace is what our receipts are. None for ``allowed`` allows
    nothing there.
    """
    tree = Tree(values["files"])
    try:
        catalog = SkillCatalog(tree.folder / "r1")
        choice = SkillChoice(values["allowed"] or ())
        return [await _loaded(catalog, choice, name) for name in values["calls"]]
    finally:
        tree.close()


async def skill_trigger(values: dict[str, Any]) -> Any:
    """Skills that words of a message load, and their companions."""
    raise NotBuiltError("deliberately later: skills that words of a message load, and companions")


async def _loaded(catalog: SkillCatalog, choice: SkillChoice, name: str) -> Any:
    from pegboard.skills.tools import skills_tool

    registry = ToolRegistry()
    registry.register(skills_tool(lambda: choice.of(catalog.current), catalog.instructions_of))
    result = await (await Pegboard([registry]).open()).call("skills", {"skill_name": name})
    assert isinstance(result, ToolResult)
    return {"error": result.text} if result.is_error else result.text.rpartition("\n\n---\n")[0]


def same_results(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """The results, and of each error the name that was asked for."""
    if isinstance(got, Raised):
        return comparison.outcome(expected, got)
    wanted = expected["returns"]["results"]
    for theirs, ours in zip(wanted, got.value, strict=True):
        failed = isinstance(theirs, dict)
        name = theirs["error"].split("'")[1] if failed else ""
        if (failed and not (isinstance(ours, dict) and name in ours["error"])) or (not failed and theirs != ours):
            return f"wanted {theirs!r:.80}, got {ours!r:.80}"
    return ""


ADAPTERS: Final = {
    **{
        f"littleghost_{kind}": Adapter(littleghost, ERRORS, same_life)
        for kind in ("discovery", "parse", "prompt_and_tool", "resource_root", "resources")
    },
    "littleghost_path_set": Adapter(path_set),
    "insika_frontmatter": Adapter(frontmatter),
    "insika_skill_catalog": Adapter(insika, {}, same_catalog),
    "insika_load_skill": Adapter(load_skill, {}, same_results),
    "insika_skill_trigger": Adapter(skill_trigger),
}
