"""Proofs about exported Hugging Face directories, from their own bytes."""
