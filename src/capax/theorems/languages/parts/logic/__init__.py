"""Parts of the models of counter machines and of logics with counts and numerical predicates."""
