"""Help for tests of one's own: catalogs without the servers behind them, and what a store of boards must do."""

from pegboard.testing.payload import catalog_from_payload
from pegboard.testing.pin_store_contract import PIN_STORE_CONTRACT, BrokenContractError

__all__ = ["PIN_STORE_CONTRACT", "BrokenContractError", "catalog_from_payload"]
