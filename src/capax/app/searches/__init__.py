"""Searches for programs: from what a user gives to a search, its clock and its files."""
