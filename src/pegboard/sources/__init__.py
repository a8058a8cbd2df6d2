"""Where tools come from: Python functions and files of them, upstream MCP servers."""
