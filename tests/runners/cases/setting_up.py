"""Steps that set something up."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Final

from tests.runners.cases.answer import Answer
from tests.runners.cases.case import Step
from tests.runners.cases.local import GlobPolicy, tools_of
from tests.runners.cases.servers import HttpServer
from tests.runners.cases.step import Do
from tests.runners.cases.world import World

REGISTERING: Final = '''\
"""The functions that {file} registers, as tools."""

import importlib.util
import sys

from pegboard import tool

_spec = importlib.util.spec_from_file_location("case_tools", {path!r})
_module = sys.modules["case_tools"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
for _name, _function in _module.REGISTER:
    globals()[f"tool_{{_name}}"] = tool(_function, name=_name)
'''
"""A tools file over one that says ``REGISTER = [(name, function), ...]``."""


FAILING: Final = '''\
"""An encoder that fails."""


class Failing:
    identity = "failing"
    dimension = 8

    def encode(self, texts):
        raise {raises}


encoder = Failing()
'''


async def catalog(world: World, step: Step) -> Answer:
    """Tools from a file, whose handlers give their arguments back."""
    world.catalog = world.folder / step["file"]
    tools = tools_of(world.folder / step["file"], lambda name, arguments: world.called.append((name, arguments)))
    world.local.replace_source("local", [tool.with_(source="local") for tool in tools])
    world.changed()
    return Answer()


async def embedder(world: World, step: Step) -> Answer:
    """An encoder for the hybrid ranker that raises what the step says, for every text."""
    world.configuration.search["encoder"] = "embedder.py"
    world.configuration.search["ranker"] = "hybrid"
    (world.folder / "embedder.py").write_text(FAILING.format(raises=step["raises"]), encoding="utf-8")
    world.changed()
    return Answer()


async def replace_tools(world: World, step: Step) -> Answer:
    """Others in their place, while everything runs."""
    world.catalog = world.folder / step["file"]
    tools = tools_of(world.folder / step["file"], lambda name, arguments: world.called.append((name, arguments)))
    world.local.replace_source("local", [tool.with_(source="local") for tool in tools])
    return Answer()


async def upstream(world: World, step: Step) -> Answer:
    """An MCP server on stdio: a script for the scripted one, or a command."""
    name = step["name"]
    if "command" in step:
        command, *arguments = step["command"]
    else:
        server = world.case.harness / "fake_upstream.py"
        script, log = world.folder / step["script"], world.upstream_log(name)
        command, arguments = sys.executable, [str(server), str(script), "--log", str(log)]
    world.configuration.upstreams[name] = {"command": command, "args": arguments}
    if step.get("env"):
        world.configuration.upstreams[name]["env"] = step["env"]
    world.changed()
    return Answer()


async def python_tools(world: World, step: Step) -> Answer:
    """A file of Python functions."""
    path = world.folder / step["file"]
    wrapper = path.with_name(f"registering_{path.name}")
    wrapper.write_text(REGISTERING.format(file=path.name, path=str(path)), encoding="utf-8")
    world.configuration.python.append(str(wrapper))
    world.changed()
    return Answer()


async def policy(world: World, step: Step) -> Answer:
    """Who may discover and invoke what."""
    world.policy = GlobPolicy(json.loads((world.folder / step["file"]).read_bytes()))
    world.changed()
    return Answer()


async def environ(world: World, step: Step) -> Answer:
    """Variables of Pegboard's own environment."""
    os.environ.update(step["set"])
    world.changed()
    return Answer()


async def http_server(world: World, step: Step) -> Answer:
    """A scripted HTTP server on the case's port, or on the one that is named."""
    port = int(step.get("port") or world.ports[0])
    log = world.folder / f"http.{port}.log.jsonl"
    world.http.append(HttpServer(world.case.harness, world.folder / step["script"], port, log))
    return Answer()


async def wait(world: World, step: Step) -> Answer:
    """Let time go by."""
    await asyncio.sleep(step["s"])
    return Answer()


async def expect(world: World, step: Step) -> Answer:
    """Nothing is done: the expectation looks at what there is."""
    await world.peg()
    return Answer()


STEPS: Final = {
    "catalog": Do(catalog, {"file"}),
    "embedder": Do(embedder, {"raises"}),
    "replace_tools": Do(replace_tools, {"file"}),
    "upstream": Do(upstream, {"name", "script", "command", "env"}),
    "python_tools": Do(python_tools, {"file"}),
    "policy": Do(policy, {"file"}),
    "environ": Do(environ, {"set"}),
    "http_server": Do(http_server, {"script", "port"}),
    "wait": Do(wait, {"s"}),
    "expect": Do(expect, set()),
}
