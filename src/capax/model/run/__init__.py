"""Running a model: the reference definition, the fast forward pass, caches, generation, traces."""
