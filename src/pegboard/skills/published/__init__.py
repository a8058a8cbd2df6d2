"""Skills as other programs get them: addresses, manifests with digests, and files, by the Skills extension of MCP.

Nothing here knows of MCP's messages: the gateway tells what stands here, and sources of upstreams bring more of it.
"""
