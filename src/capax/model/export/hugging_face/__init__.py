"""Export to Hugging Face transformers (OPT and RoBERTa classes)."""
