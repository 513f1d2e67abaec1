# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# (ch-errata)=
# # Errata: gaps and contradictions
#
# :::{admonition} The paper says / We find
# :class: important
#
# **The paper says** some things twice, in two ways, and leaves others unsaid. No code was published that could tell.
#
# **We find** {glue:text}`gaps` such points. Of these, {glue:text}`measured` can be read in a way that may change an AUC; each of
# those readings was tried. For {glue:text}`clear` of them the effect is clear on some task: its 95 % interval excludes zero. For
# {glue:text}`much` it is clearly more than {glue:text}`little` in AUC: {glue:text}`names`. The other
# {glue:text}`beyond` concern proofs, figures and run times.
# :::
#
# The table has for each gap its place, what the text says, how this book reads it and why, and what the other readings
# change. The page {doc}`07_sensitivity` measures these effects again and shows their intervals.

# %% tags=["parameters"]
results = ""  # folder of results; that of the project if empty

# %%
from pathlib import Path

from wfhelpers import ledger, parameters
from wfhelpers.results import measurements
from wfhelpers.study import readings
from wfhelpers.study.intervals import side

parameters.check()
effects = measurements.stored("sensitivity", Path(results) if results else None)
print(", ".join(dict.fromkeys(effects.loc[effects["gap"] == "8", "task"])))

# %% [markdown]
# These are the tasks of the effects. The stored effects were measured by `wfhelpers measure sensitivity`: 50 objects
# per class to train on, 10 runs, and everything else as in the protocol `charitable`. A change is that of the median AUC,
# given as its range over the tasks, for the model that changes most. The headline is the lead `bin − real`. Where a
# reading changes only one of the two, the lead changes as much; where it may change both, the lead is given as well.

# %% mystnb={"markdown_format": "myst"} tags=["hide-input"]
from IPython.display import Markdown

Markdown(readings.errata(effects))

# %% [markdown]
# The head of the page takes its numbers from here.

# %%
from myst_nb import glue

size = effects[effects["gap"].str.isdigit()]
clear = size[side(size["lower"], size["upper"]) != 0]
limit = ledger.LITTLE
more = side(size["lower"], size["upper"], limit) > 0
less = side(size["lower"], size["upper"], -limit) < 0
much = size[more | less]

# %%
gaps = readings.gaps()
names = {gap.number: gap.name for gap in gaps}
facts = {"gaps": len(gaps), "measured": size["gap"].nunique(), "little": limit}
facts |= {"clear": clear["gap"].nunique(), "much": much["gap"].nunique()}
facts["names"] = ", ".join(names[int(number)] for number in much["gap"].unique())
facts["beyond"] = facts["gaps"] - facts["measured"]
for name, fact in facts.items():
    glue(name, fact, display=False)
    print(f"{name}: {fact}")

# %% [markdown]
# ## Three things to try
#
# Measure all effects again, with your own change of the package, and look at this page with them:
#
# ```bash
# wfhelpers measure sensitivity
# papermill notebooks/errata.ipynb out.ipynb
# ```
#
# See the effects on other tasks, with their intervals:
#
# ```bash
# papermill notebooks/07_sensitivity.ipynb out.ipynb -y '{tasks: [[citeseer, IR, DB]]}'
# ```
#
# And where all strategies start well:
#
# ```bash
# papermill notebooks/07_sensitivity.ipynb out.ipynb -p protocol tuned
# ```
