"""Settings for `pytest` and for `pytest --nbval notebooks`."""

import os

from hypothesis import settings

# Kernels that pytest starts inherit this: a progress bar would differ from the stored output of its notebook.
os.environ.setdefault("WFHELPERS_PROGRESS", "off")

# The same examples on every machine and in every run: whoever runs the tests sees what we saw.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
