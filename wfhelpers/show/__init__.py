"""Everything for the eye: figures, tables, pieces of HTML."""
