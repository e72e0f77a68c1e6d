"""Hard attention over long caches: the scan that defines it, and a lookup that gives the same bits sooner."""

from capax.model.run.lookup.scan import ScanStore
from capax.model.run.lookup.store import KeyStore

__all__ = ["KeyStore", "ScanStore"]
