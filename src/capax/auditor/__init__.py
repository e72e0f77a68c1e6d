"""Audits: is a model right on every word of a length, or where is it wrong? Proofs, exhaustion and search."""
