"""What the tasks about sums of residues share."""
