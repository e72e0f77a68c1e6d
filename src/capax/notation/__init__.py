"""Small notations that several rooms read: words of a text with their locations, and predicates of positions."""
