"""The lab: small networks are trained on tasks, to see whether what is possible is also learned."""
