"""Coq files of compiled models: see `proofs/` for the theorems that they rest on."""

from capax.certify.coq.certificate_text import CoqCertificate, coq_certificate

__all__ = ["CoqCertificate", "coq_certificate"]
