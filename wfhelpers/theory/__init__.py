"""What can be proved: the paper's bounds, the theorem that holds (`mirror`), convex test problems, the exact optimum.

Imports `core` and `_support` only; no stored result depends on this room but the measurements of claims C7 and C8.
"""
