"""JSON Schema as Pegboard uses it: refusing bad schemas, checking arguments, display, and Python signatures.

``check`` refuses schemas that no argument could be held against, ``prepare`` and ``problems`` hold arguments and
results against good ones, ``flat`` and ``slim`` show them, ``signature`` makes them of functions, and ``names`` has the
nearest name. Libraries are loaded when they are first needed, so that importing these loads none of them.
"""
