"""Golden vectors: what other systems did, run through Pegboard. ``python -m tests.runners.golden DIR``."""
