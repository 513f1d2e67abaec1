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
# (ch-data)=
# # Data
#
# :::{admonition} The paper says / We find
# :class: important
#
# **The paper says** (Sec. 5): digits of MNIST and abstracts of Citeseer become vectors of $I = 64$ real numbers with
# $x^T x = 1$. Digits are cropped by 2 pixels a side, pooled over 64 windows, vectorized and normalized. Abstracts,
# "3703-dimensional, integer-valued" bags of words, are projected on the first 64 principal components of the entire
# corpus.
#
# **We find** that digits survive this and abstracts suffer. The nearest neighbour recognizes
# {glue:text}`digits_after` % of the digits after preparation and {glue:text}`digits_before` % before. For abstracts it
# is {glue:text}`abstracts_after` % after and {glue:text}`abstracts_before` % before: the 64 components hold
# {glue:text}`variance_kept` % of the variance. The text leaves open how to pool and whether to centre; only the first
# matters. Of the digits' features {glue:text}`digits_negative` % are negative, of the abstracts'
# {glue:text}`abstracts_negative` %: for networks with nonnegative weights these are different worlds. The abstracts'
# vectors are binary.
# :::
#
# Everything in this book starts from the objects prepared here. This chapter follows the paper's paragraph "Data sets"
# sentence by sentence, shows each step in pictures, and measures what the step costs.

# %% tags=["parameters"]
dataset = "mnist"  # of the last section: "mnist", "citeseer", or the path of a .csv or .npz file
train_per_class = 100
test_per_class = 50
runs = 10
seed = 0

# %% [markdown]
# The next cell checks the parameters, reads the chosen data and draws from them, so that a mistake shows at once.

# %%
import numpy as np
import pandas as pd
from myst_nb import glue
from sklearn.preprocessing import normalize

from wfhelpers import data, parameters, plots
from wfhelpers.baselines import accuracies
from wfhelpers.progress import progress
from wfhelpers.tasks import Task

parameters.check()
chosen = data.load(dataset)
task = Task(chosen, chosen.classes[0], chosen.classes[1], train_per_class, test_per_class)
draw = task.draw(runs, seed)

# %% [markdown]
# ## Digits
#
# The package bundles the first 500 training images of each digit, 28 x 28 pixels of 0 (white) to 255 (black).

# %%
images, digits = data.mnist_images()
print("images:", images.shape, images.dtype, "from", images.min(), "to", images.max())
print("images of each digit:", np.bincount(digits).tolist())

# %% [markdown]
# "Resized (by cropping 2 pixels per side and pooling over 64 non-overlapping windows)": 24 x 24 pixels are left, which
# make 8 x 8 windows of 3 x 3. The text does not say what pooling is (gap 6): the mean or the maximum of a window.
# `data.load` takes the mean unless told otherwise.

# %%
mean_pooled = data.load("mnist").features
max_pooled = data.load("mnist", pooling="max").features

# %% mystnb={"figure": {"name": "fig-digits", "caption": "The first image of each digit, from the original to the network's input (Sec. 5, paragraph Data sets; the paper has no figure of it). The blue frame is the crop. With the maximum, strokes swell and holes close."}, "image": {"alt": "Four rows of ten small pictures, the digits 0 to 9. First row: the originals with a frame 2 pixels from the border. Second row: the cropped digits. Third row: 8 by 8 mean-pooled digits, blurred but readable. Fourth row: 8 by 8 max-pooled digits, thick and dark, the holes of 6, 8 and 9 closed."}}
first = [int(np.flatnonzero(digits == digit)[0]) for digit in range(10)]
plots.digit_preparation(images[first], mean_pooled[first], max_pooled[first])

# %% [markdown]
# The crop costs next to nothing, because MNIST's digits were made to fit 20 x 20 pixels before their centre of mass was
# put in the middle. The share of ink (the sum of all pixels) that falls outside of the frame:

# %%
ink = images.sum(axis=(1, 2), dtype=float)
lost = 1 - images[:, 2:26, 2:26].sum(axis=(1, 2), dtype=float) / ink
print(f"ink cropped: {100 * lost.mean():.1f} % on average, {100 * lost.max():.0f} % of the worst image")
print(f"images that lose any: {100 * np.mean(lost > 0):.0f} %")

# %% [markdown]
# Pooling is another matter. Both readings give unit vectors, so that their inner product is the cosine of the angle
# between them.

# %%
cosine = np.einsum("ni,ni->n", mean_pooled, max_pooled, dtype=float)
print(f"cosine between the two readings: median {np.median(cosine):.2f}, least {cosine.min():.2f}")

# %% [markdown]
# ## Abstracts
#
# Citeseer comes whole. The paper calls its vectors integer-valued (gap 21); they are binary: a word occurs or it does
# not. Which word a column stands for was never published.

# %%
words, topics = data.citeseer_words()
per_paper = words.sum(axis=1)
print("papers and words:", words.shape)
print("values:", np.unique(words.toarray()).astype(int).tolist())
print(f"words a paper: {per_paper.min():.0f} to {per_paper.max():.0f}, median {np.median(per_paper):.0f}")
pd.Series(topics).value_counts(sort=False).sort_index().rename("papers").to_frame().T

# %% [markdown]
# The projection on principal components mixes all words into every feature.

# %% mystnb={"figure": {"name": "fig-abstracts", "caption": "Twenty papers of each class, as words (left, the 200 most frequent) and as the network sees them (right). Not in the paper. Few features differ between classes at a glance, and those are among the first."}, "image": {"alt": "Two panels with 120 rows, one a paper, in six blocks: AI, Agents, DB, HCI, IR, ML. Left: sparse black dots where a word occurs, denser for frequent words. Right: a coloured map of 64 features between minus 0.5 and 0.5, strong colours on the left, fading to the right."}}
abstracts = data.load("citeseer")
shown = np.concatenate([np.flatnonzero(topics == topic)[:20] for topic in abstracts.classes])
frequent = np.argsort(-words.sum(axis=0), kind="stable")[:200]
plots.abstracts_and_features(
    words[shown][:, frequent].toarray(), abstracts.features[shown], topics[shown].tolist()
)

# %% [markdown]
# How much of the corpus do 64 components hold? A word that occurs in a share $p$ of the papers has variance $p (1 - p)$;
# their sum is the total.

# %% mystnb={"figure": {"name": "fig-variance", "caption": "Share of Citeseer's variance that the first principal components hold together. Not in the paper. There is no bend after which the rest would be noise."}, "image": {"alt": "A curve that rises slowly and steadily from 0 components to 64 components, where it has reached about a quarter of the variance."}}
occurrence = words.mean(axis=0)
shares = data.principal_scores(words).var(axis=0) / np.sum(occurrence * (1 - occurrence))
plots.explained_variance(shares)

# %%
for count in (1, 8, 64):
    print(f"{count:2d} components: {100 * shares[:count].sum():.1f} % of the variance")

# %% [markdown]
# The text does not say whether the mean is taken off first (gap 7). Principal components are usually those of centred
# data, and so they are here. Without centring, the first component points to the mean of all papers, and each of them
# has a positive share of it:

# %%
uncentred = data.load("citeseer", centred=False)
for name, features in {"centred": abstracts.features, "not centred": uncentred.features}.items():
    print(f"{name:11s}  first feature positive in {100 * np.mean(features[:, 0] > 0):.0f} % of the papers")

# %% [markdown]
# ## What is lost
#
# Two plain classifiers tell all classes apart, before preparation and after it: the nearest neighbour and logistic
# regression, five-fold cross-validated. The unprepared vectors are scaled to unit norm too. One more reading is
# put to the test: components "of the entire corpus" have seen the objects on which a network is tested later (the other
# half of gap 7). The last row learns them from the training papers alone.


# %%
def from_training_papers(train):
    return data.unit_rows(data.project(words, *data.principal_axes(words[train])))


readings = {
    ("digits", "28 x 28 pixels"): normalize(images.reshape(len(images), -1).astype(float)),
    ("digits", "8 x 8, mean-pooled"): mean_pooled,
    ("digits", "8 x 8, max-pooled"): max_pooled,
    ("abstracts", "all words"): normalize(words),
    ("abstracts", "64 components, centred"): abstracts.features,
    ("abstracts", "64 components, not centred"): uncentred.features,
    ("abstracts", "64 components of the training papers"): from_training_papers,
}

# %%
labels = {"digits": digits, "abstracts": topics}
found = {key: accuracies(x, labels[key[0]], seed=0) for key, x in progress(readings.items(), "classifiers")}
accuracy = pd.DataFrame(found).T.round(2)
accuracy.rename_axis(["objects", "representation"])

# %% [markdown]
# Mean pooling keeps what these classifiers need; the maximum throws part of it away. So the mean is the reading kinder to
# the paper, and the one that this book uses. Of the abstracts, 64 components keep less, and the nearest neighbour feels it
# most. Neither centring nor the test papers' share in the components changes much. The numbers of the summary
# at the top come from here:

# %%
percent = (100 * accuracy["nearest neighbour"]).round().astype(int)
glue("digits_before", int(percent["digits", "28 x 28 pixels"]), display=False)
glue("digits_after", int(percent["digits", "8 x 8, mean-pooled"]), display=False)
glue("abstracts_before", int(percent["abstracts", "all words"]), display=False)
glue("abstracts_after", int(percent["abstracts", "64 components, centred"]), display=False)
glue("variance_kept", round(100 * shares.sum()), display=False)
glue("digits_negative", round(100 * np.mean(mean_pooled < 0)), display=False)
glue("abstracts_negative", round(100 * np.mean(abstracts.features < 0)), display=False)

# %% [markdown]
# ## Norm, signs and spread
#
# "Unit norm vectors, i.e. $|x| = 64$ and $x^T x = 1$". Every row is checked. Then the features are described: the shares
# that are negative and exactly zero, the largest one, and the sum of all features of an object.

# %%
prepared = {"MNIST, mean-pooled": mean_pooled, "MNIST, max-pooled": max_pooled, "Citeseer": abstracts.features}
for name, x in prepared.items():
    norms = np.linalg.norm(x.astype(float), axis=1)
    print(f"{name:18s}  {x.shape[1]} features, norm 1 to 1e-6: {np.abs(norms - 1).max() < 1e-6}")

# %%
spread = {
    name: {
        "negative": f"{100 * np.mean(x < 0):.0f} %",
        "zero": f"{100 * np.mean(x == 0):.0f} %",
        "largest": f"{x.max():.2f}",
        "sum, least": f"{x.sum(axis=1).min():.1f}",
        "sum, median": f"{np.median(x.sum(axis=1)):.1f}",
        "sum, greatest": f"{x.sum(axis=1).max():.1f}",
    }
    for name, x in prepared.items()
}
pd.DataFrame(spread).T

# %% mystnb={"figure": {"name": "fig-spread", "caption": "Single features (left) and their sum over an object (right). Not in the paper. Digits lie on one side of zero, abstracts on both."}, "image": {"alt": "Left: densities of single features on a log scale; both MNIST curves start with a spike at zero and extend to about 0.5 on the positive side only, Citeseer is a bell around zero. Right: densities of the sum of an object's features; Citeseer is a wide bell around zero, the two MNIST curves are narrow bells between 3 and 6."}}
plots.feature_spread(prepared)

# %% [markdown]
# This difference will come back. The networks of the paper have weights that are 0 or 1, or at least not negative, and
# units $\tanh(\sum_k w_{jk} x_k)$. A unit that is connected to all inputs receives the sum on the right of
# {numref}`fig-spread`. For digits it is large and positive, whatever the digit: the unit saturates and says
# nothing. For abstracts, positive and negative features cancel.
#
# ## Papers that occur twice
#
# Some papers share all their words. A training set and a test set that are disjoint as papers can then still have a
# vector in common.

# %%
bags = pd.DataFrame({"bag": [row.tobytes() for row in words.toarray()], "topic": topics})
per_bag = bags.groupby("bag")["topic"].agg(["size", "nunique"])
print(f"{len(words.indptr) - 1} papers, {len(per_bag)} different vectors")
print("vectors that several papers share:", int((per_bag["size"] > 1).sum()))
print("of these, with two different classes:", int((per_bag["nunique"] > 1).sum()))

# %% [markdown]
# These are too few to matter, and they are kept: the paper does not mention that it removed any.
#
# ## From a data set to a task
#
# A task tells a negative group of classes (y = 0) from a positive one (y = 1). Each run draws its own training and test
# objects, a given number of every class. The parameters at the top of this page say of which data set, how many and how
# often; with the path of a file as `dataset`, this section shows your own data.

# %%
print(chosen.name, "has", chosen.features.shape[0], "objects with", chosen.features.shape[1], "features")
pd.Series(chosen.labels).value_counts(sort=False).sort_index().rename("objects").to_frame().T

# %% mystnb={"figure": {"name": "fig-classes", "caption": "What tells the classes apart: the mean of each feature over each class, compared with the mean over all classes. Not in the paper."}, "image": {"alt": "A coloured map with one row a class and one column a feature. Purple cells are features that are larger in this class than in the others, orange cells those that are smaller."}}
plots.class_means(chosen.features, chosen.labels, chosen.classes)

# %% [markdown]
# The task of the first two classes, as an example. A draw holds all runs in one tensor, `[runs, objects, features]`, and
# training and test objects of a run are different ones. Run r depends on the seed and on r alone, not on how many runs
# are drawn.

# %%
print("task:", task.title)
print("training:", tuple(draw.x_train.shape), " testing:", tuple(draw.x_test.shape))
print("share of y = 1:", float(draw.y_train.mean()), "and", float(draw.y_test.mean()))
overlaps = [len(np.intersect1d(*task.rows(seed, run))) for run in range(runs)]
print("objects both trained and tested on, all runs together:", sum(overlaps))
print("run 0 alone is run 0 of all:", bool((task.draw(1, seed).x_train[0] == draw.x_train[0]).all()))

# %% [markdown]
# ## What the text leaves open here
#
# | gap | the text | our reading | effect of the other reading |
# |---|---|---|---|
# | 6 | "pooling over 64 non-overlapping windows" | mean of each window | measured above: the maximum makes digits harder to tell apart |
# | 7 | principal components "of the entire corpus", centring not stated | centred, entire corpus | measured above: small, for centring and for leaving the test papers out |
# | 21 | "integer-valued" vectors | binary, as published | none: every value is 0 or 1 |
#
# ## Three things to try
#
# The same page with Citeseer in its last section:
#
# ```bash
# papermill notebooks/01_data.ipynb out.ipynb -p dataset citeseer
# ```
#
# Larger draws, up to what a class has:
#
# ```bash
# papermill notebooks/01_data.ipynb out.ipynb -p train_per_class 400 -p test_per_class 100 -p runs 3
# ```
#
# Data of your own, here three sorts of wine with 13 measured columns:
#
# ```bash
# python -c "from sklearn.datasets import load_wine; load_wine(as_frame=True).frame.rename(columns={'target': 'label'}).to_csv('wine.csv', index=False)"
# papermill notebooks/01_data.ipynb out.ipynb -p dataset wine.csv -p train_per_class 30 -p test_per_class 15
# ```
