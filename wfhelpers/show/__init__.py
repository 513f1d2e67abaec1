"""Everything for the eye: figures, tables, pieces of HTML.

`figures` has the style, ``figures_*`` one function per figure (tables in, a matplotlib Figure out); `report`,
`overview` and `verdict` make what their pages show; `slider` and `explorer` are interactive, with templates and scripts
in ``assets/``. This room may import every other one, and none imports it: editing it never costs a recomputation.
"""
