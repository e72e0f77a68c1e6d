"""Where the runs of a sweep are done: one after the other, in several processes, or on a cluster."""
