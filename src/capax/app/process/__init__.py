"""The process around a command: streams, signals, exit codes, colour."""
