"""What every lesson is made of. The files beside this folder are the lessons."""
