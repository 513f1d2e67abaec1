import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from wfhelpers.baselines import accuracies, logistic_auc
from wfhelpers.tasks import Task


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b", "c"], 20)
    rows = rng.standard_normal((60, 5)) + 1.5 * np.eye(5)[np.repeat([0, 1, 2], 20)]
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), labels


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_accuracies_agree_with_sklearn(blobs, kind):
    features, labels = blobs
    fold_of = np.empty(60, dtype=int)
    for fold, test in enumerate(np.array_split(np.random.default_rng(7).permutation(60), 4)):
        fold_of[test] = fold
    found = accuracies(kind(features), labels, folds=4, seed=7)
    oracles = {
        "nearest neighbour": KNeighborsClassifier(1, metric="cosine"),
        "logistic regression": LogisticRegression(max_iter=1000),
    }
    for name, oracle in oracles.items():
        scores = cross_val_score(oracle, features, labels, cv=PredefinedSplit(fold_of))
        assert found[name] == pytest.approx(scores.mean())
        assert 0.4 < found[name] < 1


def test_a_representation_is_told_only_the_training_rows(blobs):
    features, labels = blobs
    seen = []

    def represent(train):
        seen.append(train)
        return features

    assert accuracies(represent, labels, folds=3) == accuracies(features, labels, folds=3)
    left_out = np.concatenate([np.setdiff1d(np.arange(60), train) for train in seen])
    assert sorted(left_out) == list(range(60))


def test_logistic_auc_agrees_with_sklearn_and_sees_only_training_objects():
    draw = Task("citeseer", "DB", "IR", 40, 20).draw(3, seed=0)
    expected = []
    for run in range(3):
        linear = LogisticRegression(max_iter=1000, tol=1e-8).fit(draw.x_train[run].double(), draw.y_train[run])
        expected.append(roc_auc_score(draw.y_test[run], linear.predict_proba(draw.x_test[run].double())[:, 1]))
    np.testing.assert_allclose(logistic_auc(draw), expected)
    assert 0.5 < min(expected) < 1
