"""What simple, well-known classifiers make of a representation: a measure of what the preparation keeps or loses."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from wfhelpers.evaluation import auc_of_scores
from wfhelpers.tasks import Draw

Rows = NDArray[np.int64]


def accuracies(features: Any, labels: NDArray[Any], *, folds: int = 5, seed: int = 0) -> dict[str, float]:
    """Accuracy of the nearest neighbour and of logistic regression, over all classes, by cross-validation.

    Parameters
    ----------
    features
        Matrix of unit rows, dense or sparse, so that the nearest object is the one with the largest inner product; or
        a function that makes this matrix and is told the rows that it may learn from.
    labels
        Class of each object.
    folds, seed
        Every object is tested once, by classifiers that learned from the other folds.
    """
    represent: Callable[[Rows], Any] = features if callable(features) else lambda _: features
    order = np.random.default_rng(seed).permutation(len(labels))
    right = {"nearest neighbour": 0, "logistic regression": 0}
    with threadpool_limits(1, user_api="blas"):  # many small products: more threads would only wait for each other
        for test in np.array_split(order, folds):
            train = np.setdiff1d(order, test)
            x = represent(train).astype(np.float64)
            nearest = np.asarray((x[test] @ x[train].T).argmax(axis=1)).ravel()
            linear = LogisticRegression(max_iter=1000).fit(x[train], labels[train])
            right["nearest neighbour"] += int(np.sum(labels[train][nearest] == labels[test]))
            right["logistic regression"] += int(np.sum(linear.predict(x[test]) == labels[test]))
    return {name: count / len(labels) for name, count in right.items()}


def logistic_auc(draw: Draw) -> NDArray[np.float64]:
    """AUC of logistic regression (weights of either sign, penalty as scikit-learn sets it) on each run of a draw."""
    scores = []
    with threadpool_limits(1, user_api="blas"):
        for x, y, x_test in zip(draw.x_train.double(), draw.y_train, draw.x_test.double(), strict=True):
            # Minimized far beyond the default, so that the order of the objects is the same on every machine.
            linear = LogisticRegression(max_iter=1000, tol=1e-8).fit(x.numpy(), y.numpy())
            scores.append(linear.decision_function(x_test.numpy()))
    return auc_of_scores(torch.from_numpy(np.stack(scores)), draw.y_test).numpy()
