# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# (ch-tasks)=
# # Overview of all tasks
#
# :::{admonition} The paper says / We find
# :class: important
#
# **The paper says** (Sec. 5, Fig. 4 and App. C): `bin` or `bin→real` "achieves the best performance with comparable run
# time in all but one cases" (C1).
#
# **We find**, over {glue:text}`cases` cases (task, orientation, training size) under each protocol, that `bin` or
# `bin→real` has the highest median AUC
#
# - in {glue:text}`best_literal` % of them, if every start is read literally;
# - in {glue:text}`best_charitable` %, if `bin` alone gets a start that works;
# - in {glue:text}`best_tuned` %, if every model gets the same search for its start, its rate and its updates.
#
# It is best without a tie with another strategy in {glue:text}`alone_literal` %, {glue:text}`alone_charitable` % and
# {glue:text}`alone_tuned` % of the cases, and best or tied with the best in {glue:text}`among_literal` %,
# {glue:text}`among_charitable` % and {glue:text}`among_tuned` %.
# :::
#
# The paper's figures were not available to us, and of its tasks the text names two. This page lists those and more of their kind, each
# in both orientations, at three training sizes and under three protocols. Every task has a page of its own. To see one
# case at a glance, choose it in the [explorer](explorer.ipynb).

# %% tags=["parameters"]
results = ""  # folder of results; that of the project if empty

# %% [markdown]
# The numbers come from the folder `results/`, which `make reproduce` fills.

# %%
from myst_nb import glue

from wfhelpers import parameters
from wfhelpers.results.experiments import read
from wfhelpers.results.store import Store, results_folder
from wfhelpers.show import overview

parameters.check()
store = Store(results or results_folder())
rows = store.rows()
table = overview.overview(rows)
tasks = table.groupby(["dataset", "task"]).ngroups
print(f"{len(rows)} rows, {len(table)} cases, {tasks} tasks with both orientations")

# %% [markdown]
# ## How often is `bin` best?
#
# In each case the best model is the one with the highest median AUC. It wins if its margin over every other one has a
# 95 % interval, paired over the runs, above zero; otherwise some tie with it. The table counts cases in percent: `bin` or
# `bin→real` is best; best, and no other strategy ties; best, or tied with the best.

# %%
glue("cases", len(table) // table["protocol"].nunique(), display=False)
shares = overview.shares(table)
together = overview.shares(table.assign(dataset="both")).loc["both"]
for protocol, share in together.iterrows():
    glue(f"best_{protocol}", f"{share['best']:.0f}", display=False)
    glue(f"alone_{protocol}", f"{share['alone']:.0f}", display=False)
    glue(f"among_{protocol}", f"{share['best or tied']:.0f}", display=False)
shares.round(0).astype(int)

# %% [markdown]
# ## Every case
#
# Click a heading to sort by it, and again to reverse the order. Type words to filter. A task's name leads to its
# page. AUC is the median over the runs; the last three columns give that of `bin`, `bin→real` and `real`.

# %% tags=["hide-input"]
listed = read(results_folder().with_name("experiments.yml"))
overview.overview_html(table, overview.addresses(listed))

# %% [markdown]
# ## All pairs of classes
#
# Beyond the paper: every ordered pair of digits and of Citeseer's classes, with 100 training objects per class, under the
# protocols charitable and tuned.

# %%
pairs = store.rows("pair")
overview.heat_maps(pairs[pairs["dataset"] == "mnist"])

# %% [markdown]
# :::{caption} fig-digit-pairs
# :alt: For each protocol two maps of ten by ten digits without the diagonal: the difference of the median AUC of bin
#   and of real, and the median AUC of bin. The table below sums them up.
#
# All ordered pairs of digits (not in the paper): the median AUC of bin minus that of real (left), and that of bin
# (right). Purple means that bin is ahead; note the scales.
# :::

# %% [markdown]
# The same for the six classes of Citeseer.

# %%
overview.heat_maps(pairs[pairs["dataset"] == "citeseer"])

# %% [markdown]
# :::{caption} fig-topic-pairs
# :alt: For each protocol two maps of six by six classes without the diagonal: the difference of the median AUC of bin
#   and of real, and the median AUC of bin. The table below sums them up.
#
# All ordered pairs of Citeseer's classes (not in the paper): the median AUC of bin minus that of real (left), and that
# of bin (right). Purple means that bin is ahead; note the scales.
# :::

# %% [markdown]
# The maps in numbers, over the pairs: lowest, median and highest AUC of `bin`, the median of the differences, and how
# many pairs have `bin` ahead or behind by more than 0.01.

# %%
overview.pair_summary(pairs).round(2) + 0.0  # no -0.0

# %% [markdown]
# ## Three things to try
#
# The page of a task that is not in the list:
#
# ```
# papermill notebooks/task_report.ipynb out.ipynb -p negative 0 -p positive 6 -p protocol all
# ```
#
# A task of Citeseer that is not in the list:
#
# ```
# papermill notebooks/task_report.ipynb out.ipynb -p dataset citeseer -p negative DB -p positive HCI
# ```
#
# This page for another folder of results, once `wfhelpers reproduce --results my_results` has filled it:
#
# ```
# papermill notebooks/tasks_overview.ipynb out.ipynb -p results my_results
# ```
