"""What the playground can be asked, one group of jobs per file."""
