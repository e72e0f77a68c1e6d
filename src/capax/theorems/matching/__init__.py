"""What the theorems about sums of residues share."""
