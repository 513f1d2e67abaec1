# ---
# jupyter:
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
# $x^T x = 1$. Digits are cropped by 2 pixels per side, pooled over 64 windows, vectorized and normalized. Abstracts,
# "3703-dimensional, integer-valued" bags of words, are projected on the first 64 principal components of the entire
# corpus.
#
# **We find** that digits survive this and abstracts suffer. The nearest neighbour recognizes
# {glue:text}`digits_after` % of the digits after preparation and {glue:text}`digits_before` % before. For abstracts it
# is {glue:text}`abstracts_after` % after and {glue:text}`abstracts_before` % before: the 64 components hold
# {glue:text}`variance_kept` % of the variance. The text leaves open how to pool and whether to centre; for plain
# classifiers the first matters more. Of the digits' features {glue:text}`digits_negative` % are negative, of the abstracts'
# {glue:text}`abstracts_negative` %: for networks with nonnegative weights these are different worlds. The abstracts'
# bags of words are binary.
# :::
#
# Everything in this book starts from the objects prepared here. This chapter follows the paper's paragraph "Data sets"
# sentence by sentence, shows each step in pictures, and measures what the step costs.

# %% tags=["parameters"]
dataset = "mnist"  # of the last section; or "citeseer", or the path of a .csv or .npz
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

from wfhelpers import parameters
from wfhelpers._support import progress
from wfhelpers.core import data
from wfhelpers.core.tasks import Task
from wfhelpers.show import figures_data
from wfhelpers.study.baselines import accuracies

parameters.check()
chosen = data.load(dataset)
task = Task(chosen, *chosen.classes[:2], train_per_class, test_per_class)
draw = task.draw(runs, seed)

# %% [markdown]
# ## Digits
#
# The package bundles the first 500 training images of each digit, 28 x 28 pixels of 0 (white) to 255 (black).

# %%
images, digits = data.mnist_images()
print("images:", images.shape, "with values from", images.min(), "to", images.max())
print("images of each digit:", np.bincount(digits).tolist())

# %% [markdown]
# "Resized (by cropping 2 pixels per side and pooling over 64 non-overlapping windows)": 24 x 24 pixels are left, which
# make 8 x 8 windows of 3 x 3. The text does not say what pooling is (gap 6): the mean or the maximum of a window.
# `data.load` takes the mean unless told otherwise.

# %%
mean_pooled = data.load("mnist").features
max_pooled = data.load("mnist", pooling="max").features

# %%
first = [int(np.flatnonzero(digits == digit)[0]) for digit in range(10)]
figures_data.digit_preparation(images[first], mean_pooled[first], max_pooled[first])

# %% [markdown]
# :::{caption} fig-digits
# :alt: Four rows of ten small pictures, the digits 0 to 9. First row: the originals with a frame 2 pixels from the
#   border. Second row: the cropped digits. Third row: 8 by 8 mean-pooled digits, blurred but readable. Fourth row: 8
#   by 8 max-pooled digits, thick and dark, the holes of 6, 8 and 9 closed.
#
# The first image of each digit: as given, cropped to 24 x 24, pooled to 8 x 8 by the mean and by the maximum of 3 x 3
# pixels. The paper describes this in Sec. 5 and has no figure of it. The blue frame is the crop. With the maximum,
# strokes swell and holes close.
# :::

# %% [markdown]
# The crop costs next to nothing, because MNIST's digits were made to fit 20 x 20 pixels before their centre of mass was
# put in the middle. The share of ink (the sum of all pixels) that falls outside of the frame:

# %%
ink = images.sum(axis=(1, 2), dtype=float)
cropped = 1 - images[:, 2:26, 2:26].sum(axis=(1, 2), dtype=float) / ink
print(f"ink cropped, on average: {100 * cropped.mean():.1f} %")
print(f"ink cropped, worst image: {100 * cropped.max():.0f} %")
print(f"images that lose any: {100 * np.mean(cropped > 0):.0f} %")

# %% [markdown]
# Pooling is another matter. Both readings give unit vectors, so that their inner product is the cosine of the angle
# between them.

# %%
cosine = np.einsum("ni,ni->n", mean_pooled, max_pooled, dtype=float)
print(f"cosine between mean and max: median {np.median(cosine):.2f}, least {cosine.min():.2f}")

# %% [markdown]
# ## Abstracts
#
# Citeseer comes whole. The paper calls its vectors integer-valued (gap 21); they are binary: a word occurs or it does
# not. The release does not say which word a column stands for.

# %%
words, topics = data.citeseer_words()
values = np.unique(words.toarray()).astype(int)
per_paper = words.sum(axis=1).astype(int)
print("papers and words:", words.shape, "with values", values.tolist())
print("words per paper: from", per_paper.min(), "to", per_paper.max())
print("median:", int(np.median(per_paper)))
pd.Series(topics).value_counts().sort_index().rename("papers").to_frame().T

# %% [markdown]
# The projection on principal components mixes all words into every feature.

# %%
abstracts = data.load("citeseer")
shown = np.concatenate([np.flatnonzero(topics == one)[:20] for one in abstracts.classes])
frequent = np.argsort(-words.sum(axis=0), kind="stable")[:200]
dots = words[shown][:, frequent].toarray()
figures_data.abstracts_and_features(dots, abstracts.features[shown], topics[shown].tolist())

# %% [markdown]
# :::{caption} fig-abstracts
# :alt: Two panels with 120 rows, one per paper, in six blocks: AI, Agents, DB, HCI, IR, ML. Left: sparse black dots
#   where a word occurs, denser for frequent words. Right: a coloured map of 64 features between minus 0.5 and 0.5,
#   strong colours on the left, fading to the right.
#
# Twenty papers of each class, as words (left, the 200 most frequent) and as the network sees them (right). Not in the
# paper. Few features differ between classes at a glance, and those are among the first.
# :::

# %% [markdown]
# How much of the corpus do 64 components hold? A word that occurs in a share $p$ of the papers has variance $p (1 - p)$;
# their sum is the total.

# %%
p = words.mean(axis=0)
shares = data.principal_scores(words).var(axis=0) / np.sum(p * (1 - p))
figures_data.explained_variance(shares)

# %% [markdown]
# :::{caption} fig-variance
# :alt: A curve that rises slowly and steadily from 0 components to 64 components, where it has reached about a
#   quarter of the variance.
#
# Share of Citeseer's variance that the first principal components hold together. Not in the paper. There is no bend
# after which the rest would be noise.
# :::

# %%
for count in (1, 8, 64):
    print(f"{count:2d} components hold {100 * shares[:count].sum():.1f} % of the variance")

# %% [markdown]
# The text does not say whether the mean is subtracted first (gap 7). Principal components are usually those of centred
# data, and so they are here. Without centring, the first component points to the mean of all papers, and each of them
# has a positive share of it:

# %%
uncentred = data.load("citeseer", centred=False)
for name, loaded in {"centred": abstracts, "not centred": uncentred}.items():
    positive = 100 * np.mean(loaded.features[:, 0] > 0)
    print(f"{name:11s}  first feature positive in {positive:.0f} % of the papers")

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


pixels = images.reshape(len(images), -1).astype(float)
readings = {
    ("digits", "28 x 28 pixels"): normalize(pixels),
    ("digits", "8 x 8, mean-pooled"): mean_pooled,
    ("digits", "8 x 8, max-pooled"): max_pooled,
    ("abstracts", "all words"): normalize(words),
    ("abstracts", "64 components, centred"): abstracts.features,
    ("abstracts", "64 components, not centred"): uncentred.features,
    ("abstracts", "64 components of the training papers"): from_training_papers,
}

# %%
labels = {"digits": digits, "abstracts": topics}
measured = {}
for (objects, name), x in progress(readings.items(), "classifiers"):
    measured[objects, name] = accuracies(x, labels[objects], seed=0)
accuracy = pd.DataFrame(measured).T.round(2)
accuracy.rename_axis(["objects", "representation"])

# %% [markdown]
# Mean pooling keeps what these classifiers need; the maximum throws part of it away. So the mean is the reading kinder to
# the paper, and the one that this book uses. Of the abstracts, 64 components keep less, and the nearest neighbour feels it
# most. Centring, and leaving the test papers out, change less. Two limits: this is one division into folds, so that a
# difference of one in the second decimal may be chance; and the training papers of the last row are four fifths of the
# corpus, many more than the paper's networks train on. The numbers of the summary at the top come from here:

# %%
nearest = accuracy["nearest neighbour"]
summary = {
    "digits_before": nearest["digits", "28 x 28 pixels"],
    "digits_after": nearest["digits", "8 x 8, mean-pooled"],
    "abstracts_before": nearest["abstracts", "all words"],
    "abstracts_after": nearest["abstracts", "64 components, centred"],
    "variance_kept": shares.sum(),
    "digits_negative": np.mean(mean_pooled < 0),
    "abstracts_negative": np.mean(abstracts.features < 0),
}
for name, share in summary.items():
    glue(name, round(100 * float(share)), display=False)

# %% [markdown]
# ## Norm, signs and spread
#
# "Unit norm vectors, i.e. $|x| = 64$ and $x^T x = 1$". Every row is checked. Then the features are described: the shares
# that are negative and exactly zero, the largest one, and the sum of all features of an object.

# %%
prepared = {
    "MNIST, mean-pooled": mean_pooled,
    "MNIST, max-pooled": max_pooled,
    "Citeseer": abstracts.features,
}
for name, x in prepared.items():
    deviation = np.abs(np.linalg.norm(x.astype(float), axis=1) - 1).max()
    print(f"{name:18s}  {x.shape[1]} features, norm 1 to 1e-6: {deviation < 1e-6}")

# %%
spread = pd.DataFrame(index=list(prepared))
sums = [x.sum(axis=1) for x in prepared.values()]
spread["negative (%)"] = [round(100 * np.mean(x < 0)) for x in prepared.values()]
spread["zero (%)"] = [round(100 * np.mean(x == 0)) for x in prepared.values()]
spread["largest"] = [f"{x.max():.2f}" for x in prepared.values()]
spread["least sum"] = [f"{s.min():.1f}" for s in sums]
spread["median sum"] = [f"{np.median(s):.1f}" for s in sums]
spread["greatest sum"] = [f"{s.max():.1f}" for s in sums]
spread

# %%
figures_data.feature_spread(prepared)

# %% [markdown]
# :::{caption} fig-spread
# :alt: Left: densities of single features on a log scale; both MNIST curves start with a spike at zero and extend to
#   about 0.5 on the positive side only, Citeseer is a bell around zero. Right: densities of the sum of an object's
#   features; Citeseer is a wide bell around zero, the two MNIST curves are narrow bells between 3 and 6.
#
# Single features (left) and their sum over an object (right). Not in the paper. Digits lie on one side of zero,
# abstracts on both.
# :::

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
bags = [row.tobytes() for row in words.toarray()]
per_bag = pd.Series(topics).groupby(bags).agg(["size", "nunique"])
print(len(bags), "papers,", len(per_bag), "different vectors")
print("vectors that several papers share:", int((per_bag["size"] > 1).sum()))
print("of these, with two different classes:", int((per_bag["nunique"] > 1).sum()))

# %% [markdown]
# These are too few to matter, and they are kept: the paper does not mention that it removed any.
#
# ## From a data set to a task
#
# A task tells a negative group of classes (y = 0) from a positive one (y = 1). Each run draws its own training and test
# objects, a given number of every class. The parameters at the top of this page say from which data set, how many and how
# often; with the path of a file as `dataset`, this section shows your own data.

# %%
objects, width = chosen.features.shape
print(chosen.name, "has", objects, "objects with", width, "features")
pd.Series(chosen.labels).value_counts().sort_index().rename("objects").to_frame().T

# %%
figures_data.class_means(chosen.features, chosen.labels, chosen.classes)

# %% [markdown]
# :::{caption} fig-classes
# :alt: A coloured map with one row per class and one column per feature. Purple cells are features that are larger in
#   this class than in the others, orange cells those that are smaller.
#
# What tells the classes apart: the mean of each feature over each class, compared with the mean over all classes. Not
# in the paper.
# :::

# %% [markdown]
# The task of the first two classes, as an example. A draw holds all runs in one tensor, `[runs, objects, features]`, and
# training and test objects of a run are different ones. Run r depends on the seed and on r alone, not on how many runs
# are drawn.

# %%
print("task:", task.title)
print("training:", tuple(draw.x_train.shape), " testing:", tuple(draw.x_test.shape))
print("share of y = 1:", float(draw.y_train.mean()), "and", float(draw.y_test.mean()))
shared = sum(len(np.intersect1d(*task.rows(seed, run))) for run in range(runs))
print("objects both trained and tested on in the same run:", shared)
alone = task.draw(1, seed)
print("run 0 alone is run 0 of all:", bool((alone.x_train == draw[0].x_train).all()))

# %% [markdown]
# ## What the text leaves open here
#
# | gap | the text | our reading | effect of the other reading |
# |---|---|---|---|
# | 6 | "pooling over 64 non-overlapping windows" | mean of each window | measured above: the maximum makes digits harder to tell apart |
# | 7 | principal components "of the entire corpus", centring not stated | centred, entire corpus | measured above: small for centring; small for leaving out one fifth as test papers, not tried with fewer training papers |
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
# papermill notebooks/01_data.ipynb out.ipynb \
#     -p train_per_class 400 -p test_per_class 100 -p runs 3
# ```
#
# Data of your own, here three sorts of wine with 13 measured columns:
#
# ```bash
# python -c "
# from sklearn.datasets import load_wine
# wine = load_wine(as_frame=True).frame.rename(columns={'target': 'label'})
# wine.to_csv('wine.csv', index=False)"
# papermill notebooks/01_data.ipynb out.ipynb \
#     -p dataset wine.csv -p train_per_class 30 -p test_per_class 15
# ```
