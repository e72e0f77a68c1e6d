"""Words over letters, for several tasks."""
