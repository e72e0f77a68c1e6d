"""Compiling for an export target that lacks masks, sinks or deep MLPs."""
