"""What the chapters compare, as pure functions: nothing here reads or stores results, and nothing judges a claim.

Basics are `intervals` and `task_series`. Chapter by chapter: `convergence` (3), `baselines` (1, 5), `similarity` (6),
`readings` of the text's gaps, whose prose is in ``gaps.yml``, and `sensitivity` to them (7), `peers` of Algorithm 1.
`leads` and `evidence` give the numbers that `wfhelpers.ledger` judges. Imports `core`, `theory` and `_support` only.
"""
