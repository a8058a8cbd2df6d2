"""Outgoing HTTP, all of it: what may be reached, and the only client that reaches out.

``egress`` decides, over addresses that ``urls`` took apart and with the table of ``addresses``: pure code. ``guard``
stands where sockets are opened, ``client`` sends. Only these last two load an HTTP library.
"""
