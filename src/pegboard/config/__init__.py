"""Configuration: ``pegboard.toml`` and clients' own files, to settings and a wired Pegboard."""

from pegboard.config.find import config_places, find_config
from pegboard.config.load import Loaded, load
from pegboard.config.reload import Difference, diff
from pegboard.config.settings import Settings, Upstream
from pegboard.documents.problems import ConfigProblem, Level

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
