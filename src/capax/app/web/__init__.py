"""The playground: pages over the functions of the command line. The only place that imports nicegui."""
