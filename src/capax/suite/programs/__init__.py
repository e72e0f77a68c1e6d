"""The programs of the suite: some of the library, members of families, and random ones."""
