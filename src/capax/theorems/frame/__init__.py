"""What every theorem is made of. The files beside this folder are the theorems."""
