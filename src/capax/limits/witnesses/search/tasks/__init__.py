"""One search per task."""
