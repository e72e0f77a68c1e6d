"""The values that a program's s-ops take, as columns over axes."""
