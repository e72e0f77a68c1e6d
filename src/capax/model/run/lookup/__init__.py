"""Hard attention over long caches: the scan that defines it, and a lookup that gives the same bits sooner."""

from capax.model.run.lookup.key_store import KeyStore
from capax.model.run.lookup.scan import ScanStore

__all__ = ["KeyStore", "ScanStore"]
