# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# (ch-tasks)=
# # All tasks
#
# :::{admonition} The paper says / We find
# :class: important
#
# **The paper says** (Results): `bin` or `bin→real` "achieves the best performance with comparable run time in all but
# one cases". **We find**, over {glue:text}`panels` cases (task, orientation, size) in each protocol, that `bin` or
# `bin→real` has the highest median AUC in {glue:text}`literal` % of them when every start is read literally, in
# {glue:text}`charitable` % under the reading kindest to the paper, and in {glue:text}`tuned` % when every strategy gets
# the same search for its start and its rate.
# :::
#
# The paper's figures are lost; of its tasks the text names two. This page lists those and more of their kind, each in
# both orientations, at three training sizes and under three protocols. Every task leads to a page of its own.

# %% tags=["parameters"]
results = ""  # folder of a results store; that of the project if empty

# %% [markdown]
# The numbers come from the folder `results/`, which `make reproduce` fills.

# %%
import pandas as pd
from IPython.display import display
from myst_nb import glue

from wfhelpers import parameters, report
from wfhelpers.experiments import read
from wfhelpers.store import Store, results_folder

parameters.check()
store = Store(results or results_folder())
rows = store.rows()
overview = report.overview(rows)
print(len(rows), "rows of", overview.groupby(["dataset", "task"]).ngroups, "tasks, both orientations counted")

# %% [markdown]
# ## How often is `bin` best?
#
# In each case the best model is the one of the highest median AUC. It wins if its margin over every other one has a 95 %
# interval, paired over the runs, above zero; else some tie with it. The table counts cases in percent.

# %%
ours = {"bin", "bin-real"}
best = overview["best"].isin(ours)
alone = best & overview["tied"].map(lambda tied: set(tied) <= ours)
among = best | overview["tied"].map(lambda tied: bool(set(tied) & ours))
shares = pd.DataFrame({"best": best, "best, no other strategy ties": alone, "best or tied": among}).mul(100)
by = [overview["dataset"], overview["protocol"]]
for protocol, share in shares["best"].groupby(overview["protocol"]).mean().items():
    glue(protocol, f"{share:.0f}", display=False)
glue("panels", len(overview) // overview["protocol"].nunique(), display=False)
shares.groupby(by, sort=False).mean().round(0).astype(int)

# %% [markdown]
# ## Every case
#
# Click a heading to sort; type words to filter. A task's name leads to its page. AUC is the median over ten runs.

# %%
pages = {}
for page in read(store.folder.parent / "experiments.yml").pages:
    for cell in page.cells:
        pages[cell.key["dataset"], cell.task.title] = f"../book/tasks/{page.name}.html"
report.overview_html(overview, pages)

# %% [markdown]
# ## All pairs of classes
#
# Beyond the paper: every ordered pair of digits and of Citeseer's classes, 100 objects a class. A row is the negative
# class, a column the positive one. Purple on the left means that `bin` is ahead of `real`.

# %% mystnb={"image": {"alt": "For MNIST under the protocols charitable and tuned two maps, ten by ten digits without the diagonal: the difference of the median AUC of bin and real, and the median AUC of bin. The numbers below sum them up."}}
pairs = store.rows("pair")
digits = pairs[pairs["dataset"] == "mnist"]
for protocol in digits["protocol"].unique():
    display(report.small(report.heat_maps(digits, protocol)))

# %% mystnb={"image": {"alt": "For Citeseer under the protocols charitable and tuned two maps, six by six classes without the diagonal: the difference of the median AUC of bin and real, and the median AUC of bin. The numbers below sum them up."}}
papers = pairs[pairs["dataset"] == "citeseer"]
for protocol in papers["protocol"].unique():
    display(report.small(report.heat_maps(papers, protocol)))

# %% [markdown]
# The maps in numbers: median and range over the pairs, and the share of pairs in which `bin` is ahead by more than 0.01
# and behind by more than 0.01.

# %%
keys = ["dataset", "protocol", "negative", "positive"]
medians = pairs.pivot_table(index=keys, columns="model", values="auc", aggfunc="median")
margin = medians["bin"] - medians["real"]
groups = {
    name: values.groupby(["dataset", "protocol"]) for name, values in {"bin": medians["bin"], "margin": margin}.items()
}
table = groups["bin"].agg(["min", "median", "max"]).round(2).add_prefix("bin, ")
table["bin − real, median"] = groups["margin"].median().round(2)
table["ahead (%)"] = (margin > 0.01).groupby(["dataset", "protocol"]).mean().mul(100).round(0).astype(int)
table["behind (%)"] = (margin < -0.01).groupby(["dataset", "protocol"]).mean().mul(100).round(0).astype(int)
table

# %% [markdown]
# ## Three things to try
#
# The page of a task that is not in the list:
#
# ```
# papermill notebooks/task_report.ipynb out.ipynb -p negative 0 -p positive 6 -p protocol all
# ```
#
# The same on data of your own, here a table with a column `label`:
#
# ```
# papermill notebooks/task_report.ipynb out.ipynb -p dataset my_table.csv -y '{sizes: [20]}' -p test_per_class 10
# ```
#
# This page for another folder of results:
#
# ```
# papermill notebooks/tasks_overview.ipynb out.ipynb -p results results
# ```
