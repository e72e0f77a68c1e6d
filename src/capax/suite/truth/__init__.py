"""The truth of a case as files: edges in the forms that other tools read, features, pairs of words, annotations."""
