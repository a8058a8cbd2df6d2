"""Help for tests of one's own: catalogs without the servers behind them."""

from pegboard.testing.payload import catalog_from_payload

__all__ = ["catalog_from_payload"]
