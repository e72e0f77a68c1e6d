"""The tests of capax: `from tests.strategies import ...` works from any of them."""
