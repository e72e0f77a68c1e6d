"""What limits of several layers share."""
