"""Input generators that several tasks share."""
