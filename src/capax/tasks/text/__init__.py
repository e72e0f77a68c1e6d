"""What tasks in plain English share: made-up names, and directions."""
