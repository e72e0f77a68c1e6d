"""RASP written in Python: `tokens`, `select`, `aggregate`, and the `Program` they build."""
