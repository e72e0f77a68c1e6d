"""The rules by which programs are rewritten, grouped by what they act on."""
