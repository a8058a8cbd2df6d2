"""ONNX Runtime as a quiet guest: one thread, that of its caller, no messages, nothing reported to its maker."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_UNREPORTED: Final = "ORT_DISABLE_TELEMETRY"
_FATAL: Final = 4  # of its five severities, the highest: what goes wrong is raised as well


def session(model: Path) -> InferenceSession:
    """What computes a model. Read by its path: bytes would be kept beside what is made of them."""
    # From 1.29 on it begins, when it is imported, to report its use to Microsoft, from a thread, by an identifier that
    # it keeps in the user's cache. Who has set the variable has decided.
    os.environ.setdefault(_UNREPORTED, "1")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # One thread is the caller's. More would wait for one another by turning in circles, and are lost by forking.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _FATAL
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
