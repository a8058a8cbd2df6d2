"""JSON Schema as Pegboard uses it: refusing bad schemas, checking arguments, display, and Python signatures.

Libraries are loaded when they are first needed, so that importing this package loads none of them.
"""

from __future__ import annotations

from pegboard.schema.check import MAX_BYTES, MAX_DEPTH, check_schema
from pegboard.schema.compile import compiled
from pegboard.schema.document import MAX_SUBSCHEMAS
from pegboard.schema.flat import flat_parameters
from pegboard.schema.names import nearest
from pegboard.schema.prepare import prepared
from pegboard.schema.problems import output_problems, problems
from pegboard.schema.signature import FunctionSchema, signature_schema
from pegboard.schema.slim import slim

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_SUBSCHEMAS",
    "FunctionSchema",
    "check_schema",
    "compiled",
    "flat_parameters",
    "nearest",
    "output_problems",
    "prepared",
    "problems",
    "signature_schema",
    "slim",
]
