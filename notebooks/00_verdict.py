# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# (ch-verdict)=
# # Does the paper hold?
#
# :::{admonition} The paper says / We find
# :class: important
#
# **The paper says** (Results): `bin` or `bin→real` "achieves the best performance with comparable run time in all but one
# cases", and the search for such networks converges at a rate that it proves.
#
# **We find** that the first claim is *{glue:text}`c1_literal`* if every training starts as the text reads,
# *{glue:text}`c1_charitable`* under the reading kindest to the paper, and *{glue:text}`c1_tuned`* if every strategy gets the
# same search for its start and its rate. `bin` or `bin→real` is clearly ahead in {glue:text}`c1_literal_counts`,
# {glue:text}`c1_charitable_counts` and {glue:text}`c1_tuned_counts` cases, and clearly behind in
# {glue:text}`c1_literal_against`, {glue:text}`c1_charitable_against` and {glue:text}`c1_tuned_against`.
# The theorem on the rate is *{glue:text}`c8_literal`*: {glue:text}`c8_any_against` test problems violate its bound.
# :::
#
# The paper makes fourteen claims that can be put to a test. This page judges each of them by a rule that was fixed
# before the full grid was computed, from tables that anyone can make again.

# %% tags=["parameters"]
results = ""  # folder of results; that of the project if empty

# %%
import pandas as pd
from IPython.display import display
from myst_nb import glue

from wfhelpers import ledger, parameters
from wfhelpers.show import figures_models, verdict

parameters.check()
evidence = ledger.load(results)
judged = ledger.judge(evidence)
for name, fact in verdict.facts(judged).items():
    glue(name, fact, display=False)

# %% [markdown]
# ## The ledger in short
#
# The text does not say where training starts, and much depends on it (gap 4). So every claim has three verdicts:
#
# - **literal**: every start is $N(0, 1)$, the only distribution that the text names.
# - **charitable**: the reading kindest to the paper. `bin` gets a start that works, the others what the text says.
# - **tuned**: every strategy gets the same number of trials for its start and its rate, judged on validation objects.
#
# Nor does the text say which of two groups is the positive one (gap 8). So every task is run in both orientations, and
# both count.

# %%
shown = verdict.marks(judged)
glue("ledger", shown, display=False)
shown

# %% [markdown]
# How many of the fourteen claims have each verdict:

# %%
verdict.counts(judged)

# %% [markdown]
# ## The headline claim, case by case
#
# A case is a task in one orientation, at one of three sizes. The lead is the AUC of `bin` or `bin→real` minus that of the
# best of the other eight models, both chosen by their medians; the mean over ten runs that share their objects. The
# intervals hold together with a confidence of 95 %.

# %%
part = ledger.LEDGER[0].parts[0]
leads = part.values(evidence.rows)
tables = [ledger.cases(leads[leads["protocol"] == p], part) for p in ledger.PROTOCOLS]
leads = pd.concat(tables)
figures_models.leads(leads)

# %% [markdown]
# :::{caption} fig-leads
# :alt: Three panels, one per protocol, with the leads in AUC of all cases in rising order and their intervals. The
#   titles count the cases that are clearly ahead, tied and clearly behind; the numbers stand in the section on C1
#   below.
#
# Lead of bin or bin→real over the best of the other eight models, in every case, under each protocol. Not a figure of
# the paper: its claim is that all points but one lie above the line.
# :::

# %%
# NBVAL_IGNORE_OUTPUT
words = "Leads in AUC of bin or bin→real over the other models, "
words += "in rising order, one panel per protocol, with intervals. The titles "
words += "count the cases that are clearly ahead, tied and clearly behind."
picture = verdict.picture(figures_models.leads(leads, stacked=True), words)
glue("leads", picture, display=False)

# %% [markdown]
# Where are the cases on either side? Counts by data set, and by whether groups have one class or more:

# %%
several = leads["task"].str.contains("{", regex=False)
kind = several.map({False: "single classes", True: "groups"})
word = leads["side"].map({1: "ahead", 0: "tie", -1: "behind"})
by = [leads["protocol"], leads["dataset"], kind.rename("task")]
counted = word.groupby(by, sort=False).value_counts().unstack(fill_value=0)
counted[["ahead", "tie", "behind"]].rename_axis(columns=None)

# %% [markdown]
# ## How a verdict comes about
#
# A claim has one part or more. A part compares two things in many cases, with one value per run. The mean over the runs of
# a case has a t interval, widened by Bonferroni's rule so that all intervals of a line hold at once. A case *supports* the
# part if its interval lies on the claimed side of the threshold, *contradicts* it if it lies on the other side, and is
# a tie otherwise. Then the part is
#
# - **reproduced** if as many cases support it as the claim needs: all but one for C1, half of them where the paper says
#   "often" or "in most cases", one where it says "may", otherwise all;
# - **partly** reproduced if at least half as many do, and more than contradict it;
# - **not reproduced** if so many contradict it that too few are left, even if all ties are granted; a theorem falls with one
#   contradiction;
# - **cannot be decided** otherwise.
#
# A claim whose parts differ is *partly* reproduced if one of them is, wholly or partly.
#
# The column *mean* is the mean over all cases of a line. Its interval is for new tasks of the same kind (for new runs,
# where there are fewer than three tasks), and is widened so that all intervals of the ledger hold at once. Exact numbers
# (C7, C8) have a range instead. A best model is chosen by the same runs that judge it, on both sides of a comparison.
# Run times (C13) are those of the machine that made the tables, and differ on others.
#
# (ledger-details)=
# ## Claim by claim

# %%
for claim in ledger.LEDGER:
    display(verdict.details(claim, judged))

# %% [markdown]
# What the rows of all tasks amount to:

# %%
rows = evidence.rows
effort = {"networks": f"{len(rows):,}", "cases": f"{leads['protocol'].eq('tuned').sum()}"}
effort["tasks"] = f"{rows.groupby(['dataset', 'task']).ngroups}"
effort["minutes"] = f"{rows['seconds'].sum() / 60:.0f}"
for name, value in effort.items():
    glue(name, value, display=False)
print(effort["networks"], "networks of", effort["tasks"], "tasks, both orientations counted")
print(effort["minutes"], "minutes of training on one core")

# %% [markdown]
# (tables-code-tests)=
# ## Tables, code and tests
#
# From a verdict to what it rests on:
#
# - **Tables.** Rows of all tasks are in `results/` of the project, with a page for {ref}`every task <ch-tasks>`; what was
#   measured besides them is in {download}`results/evidence.csv <../results/evidence.csv>`. Every row belongs to a record
#   of the code, the data and the versions that made it.
# - **Code.** The rules are the constant {py:data}`wfhelpers.ledger.LEDGER`, and {py:func}`wfhelpers.ledger.judge` applies
#   them: no other code decides a verdict. The {ref}`concordance <claims-and-their-code>` names the function that makes the
#   numbers of each claim.
# - **Tests.** The concordance names the test of each claim, too, and shows its source. Rules are tested on tables that were
#   made so that the verdict is known, each way; a random sample of all tables is computed again.
#
# ## Three things to try
#
# The ledger in a terminal, in short and with every number:
#
# ```bash
# wfhelpers ledger
# wfhelpers ledger --all
# ```
#
# This page for a folder of results of your own:
#
# ```bash
# papermill notebooks/00_verdict.ipynb out.ipynb -p results my_results
# ```
#
# The measurements that are not in the tables of tasks, made again:
#
# ```bash
# wfhelpers measure
# ```
