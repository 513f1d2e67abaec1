"""What is stored, and how it is made again.

`plan` and `experiments` say which jobs there are, `store` keeps their results, `pages` and `reproduce` make what is
missing; `tables` and `measurements` do the same for what is measured besides.
Imports core, theory and study. Only `tables` has a say in a result, and its code is part of the hash of what it makes.
"""
