"""OpenAPI documents as HTTP tools: 2.0, 3.0 and 3.1, in JSON or YAML. Pure: text in, definitions out, nothing fetched.

``import_openapi`` makes a definition of every operation, and says of each that it could not why. Nothing of a document
is taken on trust: a value of the wrong kind is left out, and what cannot be called is set aside by itself.
"""

from pegboard.http_tools.openapi.importing import import_openapi
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.openapi.report import Aside, Imported, Operation

__all__ = ["Aside", "ImportOptions", "Imported", "Operation", "import_openapi"]
