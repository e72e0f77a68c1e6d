"""The lab's edge: results in SQLite, sweeps, progress."""
