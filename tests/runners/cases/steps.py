"""Every step word that is understood."""

from __future__ import annotations

from typing import Final

from tests.runners.cases import http_tools, openapi, over_http, persisting, setting_up, showing, skills, using, wiring
from tests.runners.cases.step import Do

STEPS: Final[dict[str, Do]] = {
    **setting_up.STEPS,
    **http_tools.STEPS,
    **openapi.STEPS,
    **over_http.STEPS,
    **showing.STEPS,
    **skills.STEPS,
    **using.STEPS,
    **wiring.STEPS,
    **persisting.STEPS,
}
