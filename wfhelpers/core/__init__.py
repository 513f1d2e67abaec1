"""The paper: everything that decides a result, and nothing else.

This room imports nothing of the package but `wfhelpers._support`, and the hash that names a result covers it alone:
its code without comments, docstrings, layout and imports. An edit here costs a recomputation; an edit elsewhere does
not. The way of the data: `data` -> `tasks` -> `training` (with `binarize`, `network`, `kernels`) -> `strategies` under
`protocols` -> `evaluation`, `spectra` -> `jobs`.
"""
