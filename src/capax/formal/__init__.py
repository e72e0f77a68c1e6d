"""The mathematics alone: languages, automata and models of language, apart from transformers."""
