"""The networks of the lab, their training and what is measured on them: the files that need PyTorch."""
