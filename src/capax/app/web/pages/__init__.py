"""The pages of the playground, one file each."""
