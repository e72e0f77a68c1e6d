"""The tests of capax: `from tests.support.strategies import ...` works from any of them."""
