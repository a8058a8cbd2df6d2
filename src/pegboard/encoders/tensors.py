"""Arrays in a safetensors file: the length of a header (8 bytes), the header (JSON), and the numbers. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np

_KINDS: Final = {"F16": "<f2", "F32": "<f4", "I64": "<i8"}


def tensors(data: memoryview) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays by name, as views of ``data``. Raises KeyError for numbers of another kind."""
    import numpy as np

    begin = 8 + int.from_bytes(data[:8], "little")
    found = {}
    for name, told in json.loads(bytes(data[8:begin])).items():
        if name != "__metadata__":
            start, end = told["data_offsets"]
            found[name] = np.frombuffer(data[begin + start : begin + end], _KINDS[told["dtype"]]).reshape(told["shape"])
    return found
