"""Help for tests of one's own: catalogs without the servers behind them, and what stores must do."""

from pegboard.testing.contract import BrokenContractError
from pegboard.testing.payload import catalog_from_payload
from pegboard.testing.pin_store_contract import PIN_STORE_CONTRACT
from pegboard.testing.usage_store_contract import USAGE_STORE_CONTRACT

__all__ = ["PIN_STORE_CONTRACT", "USAGE_STORE_CONTRACT", "BrokenContractError", "catalog_from_payload"]
