"""The playground as files: the language, layers, pictures and puzzles in the reader's browser, without a server."""
