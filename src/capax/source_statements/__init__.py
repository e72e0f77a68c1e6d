"""The sources behind capax: what each of them states, and the commands that run it."""
