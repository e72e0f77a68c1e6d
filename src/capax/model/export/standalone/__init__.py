"""Code that exports carry with them: it runs where capax is not installed, and imports nothing of it but itself.

`capax.model.export.bundle` joins these files to one. A person reads them there, so they are written to be read.
"""
