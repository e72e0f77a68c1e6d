"""`python -m capax` is `capax`."""

from capax.app.cli import main

main()
