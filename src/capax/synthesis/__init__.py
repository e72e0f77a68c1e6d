"""Program synthesis: from a specification to the smallest RASP programs; `search.py` has the loop."""
