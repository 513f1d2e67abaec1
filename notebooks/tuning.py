# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# (ch-tuning)=
# # How every method was tuned
#
# :::{admonition} The paper says / We find
# :class: important
#
# **The paper says** nothing about the start, the learning rate, the number of updates or the size of a mini-batch, but that the
# rate is constant and that the method is SGD.
#
# **We find** that all of them matter, and tune them: {glue:text}`trials_per_training` trials for every training, on
# objects that no result uses. Mini-batches do about as well as full batches for every model: the best of each differ by at
# most {glue:text}`most_by_batch` in validation AUC.
# :::
#
# "Bin beats real" is a statement about two methods only if both were given the same chance. Under the protocol *tuned* they
# are: every trained model has the same number of trials of its own, among the same rates, numbers of updates and sizes of
# mini-batches. This page shows all of them.

# %% tags=["parameters"]
dataset = "mnist"  # mnist or citeseer, which have stored trials

# %%
import pandas as pd
from myst_nb import glue

from wfhelpers import label, parameters
from wfhelpers.core import protocols
from wfhelpers.results import measurements
from wfhelpers.show import figures_trials
from wfhelpers.study import tuning
from wfhelpers.study.readings import described

parameters.check()
parameters.one_of("dataset", dataset, sorted(protocols.TRIALS))
trials = measurements.stored(f"trials_{dataset}")
print(len(trials), "rows:", ", ".join(trials["field"].unique()))

# %% [markdown]
# ## Objects, rounds, and how a winner is chosen
#
# - **Objects of their own.** Of every class with at least 450 objects, 150 are kept for trials; results never use them, and
#   trials use nothing else. A trial trains on 70 % of its objects and is judged by the AUC on the rest.
# - **Two rounds.** First every trial is trained once on each of six tasks (three pairs of classes, in both orientations).
#   Then the best 36 of every model are trained five times on each. The winner has the highest mean validation AUC of the second
#   round.
# - **Ties.** Values that agree to three digits tie. Then mini-batches go before full batches, fewer updates before more.
# - **Each by its own.** `real→bin` and `lottery→bin` are judged by their own AUC, not by that of the network that they are
#   cut from; `bin→real` is tried on the architectures of the best `bin`.

# %%
glue("trials_per_training", str(len(protocols.GRID["bin"])), display=False)
settings = protocols.chosen(trials)
trained = tuning.FIELDS
best = tuning.best(trials).loc[list(trained)]
winners = {field: described(getattr(settings, field)) for field in trained}
table = pd.DataFrame({"winner": winners, "validation AUC": best["validation_auc"].round(3)})
table.rename(index=lambda field: label(field.replace("_", "-")))

# %% [markdown]
# ## All trials
#
# Each panel is a model with a number of updates. A line is a start; at each rate it shows the best of three sizes of
# mini-batches in the first round. Most models have a ridge: a larger start wants a smaller rate, and more updates want a
# smaller one, too.

# %%
figures_trials.trials(trials)

# %% [markdown]
# :::{caption} fig-trials
# :alt: Six rows of three panels, one row per trained model and one column per number of updates. In each panel the
#   validation AUC over the learning rate, on a logarithmic axis, with a line per start. A star marks the winner of each row.
#
# Validation AUC of every trial of the first round over the learning rate, by start and number of updates. The star is the winner of
# the second round. The paper has no such figure.
# :::

# %% [markdown]
# ## Is a winner at an end of the grid?
#
# A winner at an end would leave open what lies beyond. Rates, and how much worse the best trial at each end of the rates is:

# %%
tuning.ends(trials)

# %% [markdown]
# For `bin→real` the smallest rate may win: then the best that fine-tuning can do is to leave the weights where they are.
#
# ## SGD or gradient descent?
#
# The paper says SGD; Algorithm 1 prints mini-batches. Best validation AUC of the second round by the size of a mini-batch, among
# trials that got there:

# %%
by_batch = tuning.by_batch(trials)
most = (by_batch.max(axis=1) - by_batch.min(axis=1)).max()
glue("most_by_batch", f"{most:.3f}", display=False)
by_batch.round(3).rename(index=lambda field: label(field.replace("_", "-")))

# %% [markdown]
# ## Two things to try
#
# The other data set:
#
# ```bash
# papermill notebooks/tuning.ipynb out.ipynb -p dataset citeseer
# ```
#
# All trials again, which takes about a quarter of an hour on two cores:
#
# ```bash
# wfhelpers tune --force
# ```
