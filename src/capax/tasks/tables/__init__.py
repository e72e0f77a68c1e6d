"""What the tasks about functions given as tables share."""
