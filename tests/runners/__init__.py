"""Runners for test data kept outside the test files: ``python -m tests.runners.<name> PATH``."""
