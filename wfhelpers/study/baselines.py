"""What well-known classifiers make of the same objects: what a preparation keeps or loses, and reference points."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from wfhelpers._support import InputError
from wfhelpers.core.evaluation import auc_of_scores
from wfhelpers.core.tasks import Draw

LOGISTIC, _NEAREST = "logistic regression", "nearest neighbour"


def accuracies(features: Any, labels: NDArray[Any], *, folds: int = 5, seed: int = 0) -> dict[str, float]:
    """Accuracy of the nearest neighbour and of logistic regression, over all classes, by cross-validation.

    ``features`` are unit rows, dense or sparse, so that the nearest object is the one with the largest inner product;
    or a function that makes them and is told the rows that it may learn from.
    """
    order = np.random.default_rng(seed).permutation(len(labels))
    right = {_NEAREST: 0, LOGISTIC: 0}
    with threadpool_limits(1, user_api="blas"):  # many small products: more threads would only wait for each other
        for test in np.array_split(order, folds):
            train = np.setdiff1d(order, test)
            x = (features(train) if callable(features) else features).astype(np.float64)
            nearest = np.asarray((x[test] @ x[train].T).argmax(axis=1)).ravel()
            linear = LogisticRegression(max_iter=1000).fit(x[train], labels[train])
            right[_NEAREST] += int(np.sum(labels[train][nearest] == labels[test]))
            right[LOGISTIC] += int(np.sum(linear.predict(x[test]) == labels[test]))
    return {name: count / len(labels) for name, count in right.items()}


CLASSIFIERS: dict[str, Callable[[int, int, int], Any]] = {
    # Minimized far beyond the defaults, so that the order of the objects is the same on every machine.
    LOGISTIC: lambda objects, width, run: LogisticRegression(max_iter=1000, tol=1e-8),
    "linear SVM": lambda objects, width, run: LinearSVC(dual=False, max_iter=10000, tol=1e-8),
    "free MLP": lambda objects, width, run: MLPClassifier(
        (width,), activation="tanh", alpha=1.0, solver="lbfgs", max_iter=5000, tol=1e-8, random_state=run
    ),
    "nearest neighbours": lambda objects, width, run: KNeighborsClassifier(min(15, objects), weights="distance"),
}
"""Ordinary classifiers by name: what makes one for a number of training objects, a width and the number of a run.

Penalties are as scikit-learn sets them, except for the MLP's, which is 1; it has a hidden layer as wide as the input,
and weights of either sign. There are 15 neighbours, and the closer ones count more.
"""


def classifier_auc(name: str, draw: Draw) -> NDArray[np.float64]:
    """AUC of one of the `CLASSIFIERS` on each run of a draw."""
    if name not in CLASSIFIERS:
        raise InputError(f"Unknown classifier {name!r}; expected one of {', '.join(CLASSIFIERS)}.")
    scores = []
    with threadpool_limits(1, user_api="blas"):
        objects = (draw.x_train.double().numpy(), draw.y_train.numpy(), draw.x_test.double().numpy())
        for run, x, y, x_test in zip(draw.run_ids, *objects, strict=True):
            fitted = CLASSIFIERS[name](len(x), draw.width, run).fit(x, y)
            margins = hasattr(fitted, "decision_function")  # otherwise the probability of the positives orders objects
            scores.append(fitted.decision_function(x_test) if margins else fitted.predict_proba(x_test)[:, 1])
    # Scores closer than 1e-10 tie: their order would depend on the machine.
    return auc_of_scores(torch.from_numpy(np.stack(scores)).round(decimals=10), draw.y_test).numpy()
