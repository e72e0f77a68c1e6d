"""Where a visitor's request runs: a process of its own with bounds on time and memory."""
