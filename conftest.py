"""Settings for `pytest` and for `pytest --nbval notebooks`."""

import os

# Kernels that pytest starts inherit this: a progress bar would differ from the stored output of its notebook.
os.environ.setdefault("WFHELPERS_PROGRESS", "off")
