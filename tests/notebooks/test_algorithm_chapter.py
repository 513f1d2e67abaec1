"""Chapter 3 shows code beside the paper's pseudo-code: it must be the code that its next cell runs."""

import re
import textwrap
from pathlib import Path

import jupytext

CHAPTER = Path(__file__).parents[2] / "notebooks" / "03_algorithm.py"


def test_code_beside_the_pseudo_code_is_the_code_that_runs() -> None:
    cells = jupytext.read(CHAPTER).cells
    place = next(i for i, cell in enumerate(cells) if "{prf:algorithm}" in cell.source)
    shown = "\n".join(re.findall(r"```python\n(.*?)```", cells[place].source, re.DOTALL))
    runs = cells[place + 1].source
    body = textwrap.dedent(runs[runs.index("    for t in range(steps):") :])
    assert [line for line in shown.splitlines() if line] == body.splitlines()
