"""Configuration: ``pegboard.toml`` and clients' own files, to settings and a wired Pegboard."""

from pegboard.config.find import config_places, find_config
from pegboard.config.load import Loaded, load
from pegboard.config.model import Settings, Upstream
from pegboard.config.problems import ConfigProblem, Level
from pegboard.config.reload import Difference, diff

__all__ = [
    "ConfigProblem",
    "Difference",
    "Level",
    "Loaded",
    "Settings",
    "Upstream",
    "config_places",
    "diff",
    "find_config",
    "load",
]
