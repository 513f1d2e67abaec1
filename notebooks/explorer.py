# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# (ch-explorer)=
# # Explorer: choose a case
#
# :::{admonition} The paper says / We find
# :class: important
#
# **The paper says** (Sec. 5, Fig. 4 and App. C): `bin` or `bin→real` "achieves the best performance with comparable run
# time in all but one cases" (C1).
#
# **We find**, for the task and size that are shown first, that the highest median AUC belongs to
# {glue:text}`bests`. There are {glue:text}`cases` cases to look at; the [overview](tasks_overview.ipynb) counts them.
# :::
#
# Fig. 4 and App. C plot run time against AUC, one plot per task and training size. They were not available to us; here are
# ours, one at a time.

# %% tags=["parameters"]
results = ""  # folder of results; that of the project if empty
dataset = "mnist"  # the case that is shown first
task = "1 vs 2"  # negative group first; groups as in "{1,2,3} vs {4,5,6}"
size = 100  # training objects per class
protocol = "charitable"  # "literal", "charitable" or "tuned"

# %% [markdown]
# The numbers come from the folder `results/`, which `make reproduce` fills.

# %% tags=["hide-input"]
from myst_nb import glue

from wfhelpers import parameters
from wfhelpers.core.strategies import label
from wfhelpers.results.experiments import read
from wfhelpers.results.store import Store, results_folder
from wfhelpers.show import overview
from wfhelpers.show.explorer import Explorer

parameters.check()
rows = Store(results or results_folder()).rows()
listed = read(results_folder().with_name("experiments.yml"))
pages = overview.addresses(listed)

# %% [markdown]
# A point is the median over the runs, its bars reach to the quartiles. A colour is a strategy;
# squares are binary networks, circles real ones. The run time includes the training of the network that a model is
# derived from. The axis of the AUC starts where the lowest model needs it.

# %% tags=["hide-input"]
Explorer(rows, (dataset, task, size, protocol), pages)

# %% [markdown]
# The task and size that are shown first, under each protocol: the best model with its AUC, those that tie with it (the
# 95 % interval of the best one's margin, paired over runs, contains zero), and the AUC of `bin`, `bin→real` and `real`.

# %% tags=["hide-input"]
case_rows = rows.query("dataset == @dataset and task == @task and size == @size")
table = overview.overview(case_rows).set_index("protocol").iloc[:, 3:]
table["best"] = table["best"].map(label)
table["tied"] = table["tied"].map(lambda tied: ", ".join(map(label, tied)))
words = [f"{best} under {name}" for name, best in table["best"].items()]
glue("bests", ", ".join(words), display=False)
glue("cases", rows.groupby(list(overview.CASE)).ngroups, display=False)
table.round(3)

# %% [markdown]
# ## Three things to try
#
# Another case at the start:
#
# ```
# papermill notebooks/explorer.ipynb out.ipynb -p dataset citeseer -p task "DB vs IR" -p protocol tuned
# ```
#
# Groups of classes, with fewer training objects:
#
# ```
# papermill notebooks/explorer.ipynb out.ipynb -p task "{1,2,3} vs {4,5,6}" -p size 50
# ```
#
# Results of your own, once `wfhelpers reproduce --results my_results` has filled a folder:
#
# ```
# papermill notebooks/explorer.ipynb out.ipynb -p results my_results
# ```
