"""Where tools come from: Python functions, HTTP files, OpenAPI documents, upstream MCP servers."""
