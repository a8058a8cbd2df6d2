"""The adapters, by the kind of file they run. A kind that is not here is reported as not built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.runners.golden.adapter import Adapter
from tests.runners.golden.adapters import (
    gonk_auth,
    gonk_boards,
    gonk_calls,
    gonk_meta,
    gonk_meta_definitions,
    gonk_principals,
    gonk_registry,
    gonk_resources,
    gonk_search,
    insika_allowlist,
    insika_catalog,
    insika_coercion,
    insika_definitions,
    insika_egress,
    insika_envelope,
    insika_evidence,
    insika_http,
    insika_http_client,
    insika_prefix,
    insika_registry,
    insika_schema,
    skills,
)

ADAPTERS: Final[Mapping[str, Adapter]] = {
    **gonk_auth.ADAPTERS,
    **gonk_boards.ADAPTERS,
    **gonk_calls.ADAPTERS,
    **gonk_meta.ADAPTERS,
    **gonk_meta_definitions.ADAPTERS,
    **gonk_principals.ADAPTERS,
    **gonk_registry.ADAPTERS,
    **gonk_resources.ADAPTERS,
    **gonk_search.ADAPTERS,
    **insika_allowlist.ADAPTERS,
    **insika_catalog.ADAPTERS,
    **insika_coercion.ADAPTERS,
    **insika_definitions.ADAPTERS,
    **insika_egress.ADAPTERS,
    **insika_envelope.ADAPTERS,
    **insika_evidence.ADAPTERS,
    **insika_http.ADAPTERS,
    **insika_http_client.ADAPTERS,
    **insika_prefix.ADAPTERS,
    **insika_registry.ADAPTERS,
    **insika_schema.ADAPTERS,
    **skills.ADAPTERS,
}
