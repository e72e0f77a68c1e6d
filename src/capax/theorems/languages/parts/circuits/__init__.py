"""Circuits as layers."""
