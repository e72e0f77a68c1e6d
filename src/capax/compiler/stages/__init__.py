"""What each pass of a compilation gave, one typed result a stage, as text and as JSON."""
