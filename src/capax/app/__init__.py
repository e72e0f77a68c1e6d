"""The edge: command line, prompt and files. Only here are arguments, the environment, files and clocks read."""
