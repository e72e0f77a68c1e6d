"""What is known about transformers and formal languages: claims as data, and answers by inference from them.

`setting` has the fields of an assumption; `survey`, `later`, `classes`, `languages`, `variants` and `bibliography` are
the records; `whole` puts them together; `infer` answers questions by the rules R1 to R7 that its text states.
"""
