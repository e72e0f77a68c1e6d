"""Answers by inference from the records, each with its proof."""
