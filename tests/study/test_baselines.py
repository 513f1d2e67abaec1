import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC

from wfhelpers.core.tasks import Task
from wfhelpers.study.baselines import CLASSIFIERS, LOGISTIC, accuracies, classifier_auc


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


def test_logistic_regression_agrees_with_sklearn_and_sees_only_training_objects():
    draw = Task("citeseer", "DB", "IR", 40, 20).draw(3, seed=0)
    expected = []
    for run in range(3):
        linear = LogisticRegression(max_iter=1000, tol=1e-8).fit(draw.x_train[run].double(), draw.y_train[run])
        expected.append(roc_auc_score(draw.y_test[run], linear.predict_proba(draw.x_test[run].double())[:, 1]))
    np.testing.assert_allclose(classifier_auc(LOGISTIC, draw), expected)
    assert 0.5 < min(expected) < 1


def probability(model, x):
    return model.predict_proba(x)[:, 1]


def margin(model, x):
    return model.decision_function(x)


MLP = {
    "hidden_layer_sizes": (64,),
    "activation": "tanh",
    "alpha": 1.0,
    "solver": "lbfgs",
    "max_iter": 5000,
    "tol": 1e-8,
}
ORACLES = {
    "logistic regression": (lambda run: LogisticRegression(max_iter=1000, tol=1e-8), probability),
    "linear SVM": (lambda run: LinearSVC(dual=False, max_iter=10000, tol=1e-8), margin),
    "free MLP": (lambda run: MLPClassifier(**MLP, random_state=run), probability),
    "nearest neighbours": (lambda run: KNeighborsClassifier(15, weights="distance"), probability),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_classifier_agrees_with_sklearn(name):
    draw = Task("citeseer", "AI", "ML", 20, 30).draw(3, seed=1)
    make, score = ORACLES[name]
    expected = []
    for run in range(3):
        model = make(run).fit(draw.x_train[run].double().numpy(), draw.y_train[run].numpy())
        scores = score(model, draw.x_test[run].double().numpy())
        expected.append(roc_auc_score(draw.y_test[run], scores.round(10)))
    np.testing.assert_allclose(classifier_auc(name, draw), expected)
    np.testing.assert_allclose(classifier_auc(name, draw[2]), expected[2:])
    assert 0.5 < np.mean(expected) < 1


def test_fewer_objects_than_neighbours_are_all_neighbours():
    assert classifier_auc("nearest neighbours", Task("mnist", 0, 1, 3, 20).draw(2, seed=0)).min() > 0.9


def test_an_unknown_classifier_is_refused():
    with pytest.raises(
        ValueError, match="Unknown classifier 'oracle'; expected one of logistic regression, linear SVM"
    ):
        classifier_auc("oracle", Task("mnist", 0, 1, 3, 3).draw(1, seed=0))
