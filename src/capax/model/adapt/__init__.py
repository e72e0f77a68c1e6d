"""A model changed into an equal, plainer one that an export target can represent."""
