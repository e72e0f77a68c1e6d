"""Audits as users ask for them: specifications from texts and files, time in seconds."""
