"""Small notations that several rooms read: words of a text with their locations, predicates of positions, records."""
