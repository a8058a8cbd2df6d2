"""OpenAPI documents as HTTP tools: 2.0, 3.0 and 3.1, in JSON or YAML. Pure: text in, definitions out, nothing fetched.

``importing.import_openapi`` makes a definition of every operation, and says of each that it could not why; ``options``
has what an operator says of it, ``report`` what it came to. Nothing of a document is taken on trust: a value of the
wrong kind is left out, and what cannot be called is set aside by itself.
"""
