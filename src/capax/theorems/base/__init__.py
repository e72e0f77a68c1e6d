"""What every theorem is made of: statement, construction, check and sizes."""
