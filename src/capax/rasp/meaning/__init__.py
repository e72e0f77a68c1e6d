"""What a program computes: the reference definition, and two faster evaluators that agree with it."""
