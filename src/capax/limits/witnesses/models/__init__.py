"""Small models in exact integers for the tasks of the limits: some that solve theirs, some that cannot."""
