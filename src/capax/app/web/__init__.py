"""The playground: one page over the functions of the command line, and the server that answers it."""
