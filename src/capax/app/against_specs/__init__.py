"""What a user holds against a specification: audits, decompilations and searches, with texts, files and clocks."""
