"""Bracket matching as layers."""
