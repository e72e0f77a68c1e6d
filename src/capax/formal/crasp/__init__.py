"""Which regular languages counting logic (C-RASP) defines: decided, with evidence for yes and for no."""
