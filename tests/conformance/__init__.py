"""The official MCP conformance suite and the Inspector, run against the gateway: ``python -m tests.conformance``."""
