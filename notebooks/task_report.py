# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A task of your own
#
# This page is a template: papermill makes one like it for every task of the paper, and for any task that you name.
#
# ```
# papermill notebooks/task_report.ipynb out.ipynb -p dataset citeseer -p negative DB -p positive IR
# ```

# %% [markdown]
# :::{admonition} The paper says / We find
# :class: important
#
# **The paper says** (Results, Fig. 4, App. C): `bin` or `bin→real` "achieves the best performance with comparable run
# time in all but one cases". **We find** on this page: {glue:text}`summary`
# :::

# %% tags=["parameters"]
dataset = "mnist"  # "mnist", "citeseer", or the path of a .csv or .npz file
negative = None  # class or list of classes with label 0; an example if None
positive = None  # class or list of classes with label 1
sizes = [50, 100, 150]  # training objects per class
test_per_class = 50
runs = 10
seed = 0
protocol = "charitable"  # "literal", "charitable", "tuned", or "all"
orientation = "given"  # "given", "swapped" (labels 0 and 1 exchanged), or "both"
settings = {}  # replaces settings of the protocol, such as {"steps": 400}
store = ""  # folder of results: read where they are known, else added to

# %% [markdown]
# The next cell checks the parameters, before any work.

# %%
import time

import pandas as pd
from IPython.display import display
from myst_nb import glue

from wfhelpers import parameters
from wfhelpers.results.plan import task_jobs
from wfhelpers.results.store import complete
from wfhelpers.show import figures_models, report

parameters.check()
begin = time.perf_counter()
choices = dict(sizes=sizes, test_per_class=test_per_class, runs=runs, seed=seed)
choices |= dict(protocol=protocol, orientation=orientation, settings=settings)
work = task_jobs(dataset, negative, positive, **choices)

# %% [markdown]
# ## The task
#
# Tell objects of the negative group (y = 0) from those of the positive one (y = 1).

# %%
task = work[0].task
print(f"{task.dataset.name}: {task.title}, {runs} runs")
print(f"{task.test_per_class} test objects per class")
for size in sizes:
    number = size * len(task.negative + task.positive)
    print(f"{size} training objects per class: {number} in all")

# %% [markdown]
# A job trains the ten models at one size, under one protocol, in one orientation, every run by itself.

# %%
results = complete(work, store)
rows = pd.concat([result.rows for result in results], ignore_index=True)
titles = list(dict.fromkeys(rows["task"]))
glue("summary", report.summary(rows), display=False)
print(len(rows), "rows:", ", ".join(rows["protocol"].unique()))
print("for", " and ".join(titles))

# %% [markdown]
# ## Run time and AUC
#
# One figure per orientation, as in Fig. 4 and App. C. Medians over the runs, bars are quartiles; squares are binary
# networks, circles real ones. Run times include the training of the network that a model is derived from.

# %%
for title in titles:
    print(title)
    drawn = figures_models.runtime_and_auc(rows[rows["task"] == title], by="protocol")
    display(report.small(drawn))

# %% [markdown]
# :::{caption}
# :alt: For each orientation a grid of scatter plots, with one row per protocol and one column per training size:
#   seconds per run on a logarithmic axis against the test AUC of the ten models, with quartiles. The numbers stand in
#   the tables below.
# :::

# %% [markdown]
# The same numbers: median AUC, and below it the quartiles over runs. `*` marks a model that wins: its margin over every
# other one has a 95 % interval, paired over runs, above zero. Where no model wins, `=` marks the best and those that tie
# with it.

# %%
for title in titles:
    print(title)
    display(report.standings(rows[rows["task"] == title]))

# %% [markdown]
# ## Spectra
#
# Eigenvalues of the normalized Laplacian at the largest size, as in Fig. 5 and App. D: median (solid) and quartiles
# (dashed) over the runs, and the map of all networks by the first two principal components of their spectra.
# The shared weight of `agnostic→real` may be negative: a graph takes its absolute value.

# %%
for title in titles:
    print(title)
    chosen = [one for one in results if one.spectra and title in set(one.rows["task"])]
    display(report.small(report.spectra(chosen)))

# %% [markdown]
# :::{caption}
# :alt: For each orientation and protocol three panels: the ascending eigenvalues between 0 and 2 of the real
#   networks, those of the binary networks, and a map of all networks, one point per run, coloured by strategy.
# :::

# %% [markdown]
# ## Density
#
# Median share of nonzero weights in the first and in the second layer, at the largest size.

# %%
report.densities(rows)

# %% [markdown]
# ## How this page was made

# %% tags=["nbval-ignore-output"]
given = dict(dataset=dataset, negative=negative, positive=positive, **choices)
print(report.footer(work, time.perf_counter() - begin, given))

# %% [markdown]
# ## Three things to try
#
# The other orientation, and every protocol:
#
# ```
# papermill notebooks/task_report.ipynb out.ipynb -p orientation both -p protocol all
# ```
#
# Groups of classes:
#
# ```
# papermill notebooks/task_report.ipynb out.ipynb -y '{negative: [1, 2, 3], positive: [4, 5, 6]}'
# ```
#
# Longer training:
#
# ```
# papermill notebooks/task_report.ipynb out.ipynb -y '{settings: {steps: 1000}}'
# ```
