import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from sklearn.decomposition import PCA, TruncatedSVD

from wfhelpers.core import data
from wfhelpers.core.data import DataError

QUICK = settings(max_examples=20, deadline=None)


def norms(features):
    return np.linalg.norm(features.astype(np.float64), axis=1)


def same_up_to_sign(ours, theirs, tolerance):
    return np.allclose(ours * np.sign((ours * theirs).sum(axis=0)), theirs, atol=tolerance)


# Bundled samples


@pytest.mark.parametrize(("name", "objects"), [("mnist", 5000), ("citeseer", 3312)])
def test_bundled_sets_have_64_features_and_unit_rows(name, objects):
    loaded = data.load(name)
    assert loaded.features.shape == (objects, 64)
    assert loaded.features.dtype == np.float32
    assert np.abs(norms(loaded.features) - 1).max() < 1e-6
    assert loaded.labels.shape == (objects,)
    assert loaded.name == name
    assert loaded.sha256 == data.SHA256[name]


def test_classes_and_their_sizes_are_those_of_the_sources():
    mnist, citeseer = data.load("mnist"), data.load("citeseer")
    assert mnist.classes == tuple(range(10))
    assert all(np.sum(mnist.labels == digit) == 500 for digit in mnist.classes)
    sizes = {name: int(np.sum(citeseer.labels == name)) for name in citeseer.classes}
    assert sizes == {"Agents": 596, "AI": 249, "DB": 701, "IR": 668, "ML": 590, "HCI": 508}


def test_citeseer_is_binary_with_the_known_duplicates():
    words, topics = data.citeseer_words()
    assert words.shape == (3312, 3703)
    assert set(words.data) == {1}
    labels_of = {}
    for row, topic in zip(words.toarray(), topics, strict=True):
        labels_of.setdefault(row.tobytes(), set()).add(topic)
    assert len(labels_of) == 3302
    assert sum(len(labels) > 1 for labels in labels_of.values()) == 2


def test_a_loaded_set_is_shared_and_cannot_be_changed():
    loaded = data.load("mnist")
    assert data.load("mnist") is loaded
    with pytest.raises(ValueError, match="read-only"):
        loaded.features[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        loaded.labels[0] = 1


@pytest.mark.parametrize("name", ["mnist", "citeseer"])
def test_one_changed_byte_of_a_bundled_file_stops_the_load(name, tmp_path, monkeypatch):
    content = bytearray((data.BUNDLED / f"{name}.npz").read_bytes())
    monkeypatch.setattr(data, "BUNDLED", tmp_path)
    with pytest.raises(DataError, match="missing"):
        data.load(name)
    (tmp_path / f"{name}.npz").write_bytes(content)
    assert data.load(name).name == name
    content[len(content) // 2] ^= 1
    (tmp_path / f"{name}.npz").write_bytes(content)
    with pytest.raises(DataError, match="sha256"):
        data.load(name)


PRINT_DIGEST = """
from wfhelpers.core import data
sets = [data.load("mnist"), data.load("citeseer"), data.load("citeseer", centred=False)]
print(data.digest(b"".join(loaded.features.tobytes() for loaded in sets)))
"""


def test_threads_and_processors_do_not_change_a_bit_of_the_features():
    """OpenBLAS can be told to use the code that it has for another processor."""
    variants = [
        {"OMP_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Haswell"},
        {"OMP_NUM_THREADS": "2", "OPENBLAS_CORETYPE": "Prescott"},
    ]
    digests = set()
    for variant in variants:
        command = [sys.executable, "-c", PRINT_DIGEST]
        digests.add(
            subprocess.run(command, env=os.environ | variant, capture_output=True, check=True, text=True).stdout
        )
    assert len(digests) == 1


# Preparation


@pytest.mark.parametrize(("pooling", "of_window"), [("mean", np.mean), ("max", np.max)])
def test_pooling_agrees_with_a_plain_loop(pooling, of_window):
    images = np.random.default_rng(0).integers(0, 256, size=(3, 28, 28), dtype=np.uint8)
    expected = np.zeros((3, 64))
    for n in range(3):
        for i in range(8):
            for j in range(8):
                window = images[n, 2 + 3 * i : 5 + 3 * i, 2 + 3 * j : 5 + 3 * j]
                expected[n, 8 * i + j] = of_window(window.astype(float))
    assert np.allclose(data.pool(images, pooling), expected, rtol=1e-14)


def test_mnist_is_pooled_digits_scaled_to_unit_norm():
    images, _ = data.mnist_images()
    for pooling in data.POOLINGS:
        pooled = data.pool(images[:50], pooling)
        expected = pooled / np.sqrt((pooled**2).sum(axis=1, keepdims=True))
        assert np.allclose(data.load("mnist", pooling=pooling).features[:50], expected, atol=2e-7)
    assert data.load("mnist").features.min() >= 0


def tables(columns):
    return arrays(np.float64, (30, columns), elements=st.floats(-100, 100, width=16))


@QUICK
@given(rows=st.one_of(tables(columns=7), tables(columns=50)), centred=st.booleans())
def test_principal_scores_keep_distances_and_are_uncorrelated(rows, centred):
    scores = data.principal_scores(rows, 64, centred=centred)
    scale = 1 + np.abs(rows).max() ** 2 * 50
    moved = rows - rows.mean(axis=0) if centred else rows
    assert np.allclose(scores @ scores.T, moved @ moved.T, atol=1e-9 * scale)
    covariance = scores.T @ scores
    assert np.allclose(covariance, np.diag(np.diag(covariance)), atol=1e-9 * scale)
    assert np.all(np.diff(np.diag(covariance)) <= 1e-9 * scale)


@QUICK
@given(rows=tables(columns=7))
def test_principal_scores_have_their_extreme_on_the_positive_side(rows):
    scores = data.principal_scores(rows)
    assert np.all(scores.max(axis=0, initial=0) >= -scores.min(axis=0, initial=0))


@pytest.mark.parametrize("shape", [(40, 9), (9, 40)])
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_principal_scores_agree_with_sklearn(shape, kind):
    rows = np.random.default_rng(1).standard_normal(shape)
    theirs = PCA(3, svd_solver="full").fit_transform(rows)
    assert same_up_to_sign(data.principal_scores(kind(rows), 3), theirs, 1e-10)
    theirs = TruncatedSVD(3, algorithm="arpack", random_state=0).fit_transform(rows)
    assert same_up_to_sign(data.principal_scores(kind(rows), 3, centred=False), theirs, 1e-10)


def test_principal_scores_of_citeseer_agree_with_sklearn():
    words, _ = data.citeseer_words()
    theirs = PCA(64, svd_solver="arpack", random_state=0).fit_transform(words)
    assert same_up_to_sign(data.principal_scores(words), theirs, 1e-7)
    theirs /= np.linalg.norm(theirs, axis=1, keepdims=True)
    assert same_up_to_sign(data.load("citeseer").features, theirs, 1e-6)


def test_projecting_other_rows_agrees_with_sklearn():
    rng = np.random.default_rng(2)
    seen, other = rng.standard_normal((40, 9)), rng.standard_normal((5, 9))
    theirs = PCA(3, svd_solver="full").fit(seen)
    mean, axes = data.principal_axes(csr_array(seen), 3)
    signs = np.sign((axes * theirs.components_.T).sum(axis=0))
    assert np.allclose(data.project(other, mean, axes) * signs, theirs.transform(other), atol=1e-10)


def test_centring_changes_citeseer():
    centred, raw = data.load("citeseer"), data.load("citeseer", centred=False)
    assert np.abs(norms(raw.features) - 1).max() < 1e-6
    assert abs(centred.features[:, 0].mean()) < 0.2 < raw.features[:, 0].mean()


@QUICK
@given(rows=arrays(np.float64, (4, 3), elements=st.floats(1e-300, 1e300)), factor=st.sampled_from([1e-3, 1, 7.0]))
def test_unit_rows_are_of_unit_norm_and_free_of_scale(rows, factor):
    assert np.abs(norms(data.unit_rows(rows)) - 1).max() < 1e-6
    assert np.allclose(data.unit_rows(rows * factor), data.unit_rows(rows), atol=1e-6)


# The reader's own files


def save_npz(folder, X, y, name="mine.npz"):
    np.savez(folder / name, X=X, y=y)
    return folder / name


def save_csv(folder, text, name="mine.csv"):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize("labels", [[1, 2], ["a", "b"], [True, False], [0.5, 1.5], [b"a", b"b"]])
def test_an_npz_with_few_columns_is_only_scaled(tmp_path, labels):
    X = np.random.default_rng(0).standard_normal((6, 5))
    loaded = data.load(save_npz(tmp_path, X, np.array(labels * 3)))
    assert np.allclose(loaded.features, X / np.linalg.norm(X, axis=1, keepdims=True), atol=1e-6)
    assert len(loaded.classes) == 2
    assert loaded.name == "mine.npz"
    assert loaded.sha256 == data.digest((tmp_path / "mine.npz").read_bytes())


@pytest.mark.parametrize("objects", [40, 120])
def test_an_npz_with_many_columns_gets_at_most_64(tmp_path, objects):
    X = np.random.default_rng(0).integers(0, 9, (objects, 100))
    loaded = data.load(str(save_npz(tmp_path, X, np.arange(objects) % 3)))
    assert loaded.features.shape == (objects, min(64, objects - 1))
    assert np.abs(norms(loaded.features) - 1).max() < 1e-6
    theirs = PCA(loaded.features.shape[1], svd_solver="full").fit_transform(X)
    theirs /= np.linalg.norm(theirs, axis=1, keepdims=True)
    assert same_up_to_sign(loaded.features, theirs, 1e-5)


def test_very_large_values_do_not_overflow(tmp_path):
    X = np.random.default_rng(0).standard_normal((80, 70)) * 1e300
    assert np.abs(norms(data.load(save_npz(tmp_path, X, np.arange(80) % 2)).features) - 1).max() < 1e-6


def test_csv_labels_are_numbers_where_all_are_such(tmp_path):
    numbers = data.load(save_csv(tmp_path, "a,label,b\n3,1,4\n0,2,-1\n\n"))
    assert numbers.classes == (1, 2)
    assert np.allclose(numbers.features, [[0.6, 0.8], [0, -1]])
    words = data.load(save_csv(tmp_path, "\ufefflabel,a\nyes,1\n no ,-2\n"))
    assert words.classes == ("no", "yes")


def test_npz_and_csv_of_the_same_table_agree(tmp_path):
    X = np.random.default_rng(0).integers(-9, 9, (90, 70))
    y = np.arange(90) % 2
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X, y, strict=True)]
    header = ",".join([*(f"c{i}" for i in range(70)), "label"])
    from_csv = data.load(save_csv(tmp_path, "\n".join([header, *lines])))
    from_npz = data.load(save_npz(tmp_path, X, y))
    assert np.array_equal(from_csv.features, from_npz.features)
    assert np.array_equal(from_csv.labels, from_npz.labels)


GOOD = np.eye(4)
TWO = np.array([0, 0, 1, 1])
WRONG_ARRAYS = {
    "NaN": (np.where(GOOD > 0, np.nan, 1), TWO),
    "infinite": (np.where(GOOD > 0, np.inf, 1), TWO),
    "all zero": (np.diag([1.0, 1.0, 0.0, 1.0]), TWO),
    "classes in .* is 1;": (GOOD, np.zeros(4)),
    "pickle": (GOOD, np.array([0, 0, "a", None], dtype=object)),
    "axes": (GOOD.reshape(4, 2, 2), TWO),
    "complex": (GOOD * 1j, TWO),
    "shape": (GOOD, TWO[:3]),
    "without a label": (GOOD, np.array([0, 0, 1, np.nan])),
    "no column": (np.zeros((4, 0)), TWO),
    "classes in .* is 0;": (np.zeros((0, 4)), np.zeros(0)),
}


@pytest.mark.parametrize("fault", WRONG_ARRAYS)
def test_wrong_arrays_are_refused_in_one_sentence(tmp_path, fault):
    path = save_npz(tmp_path, *WRONG_ARRAYS[fault])
    with pytest.raises(DataError, match=fault) as refusal:
        data.load(path)
    assert_one_sentence(refusal.value)


WRONG_TABLES = {
    "short row": ("a,label,b\n1,x,2\n3,y\n", "Row 1 .* 2 values; expected 3"),
    "long row": ("a,label\n1,x\n3,y,4\n", "Row 1 .* 3 values; expected 2"),
    "no label": ("a,b\n1,2\n", "0 columns named label"),
    "two labels": ("label,label,b\n1,2,3\n", "2 columns named label"),
    "empty file": ("", "0 columns named label"),
    "only a header": ("a,label\n", "classes in .* is 0;"),
    "word": ("a,label\n1,x\ntwo,y\n", "not a number .*two"),
    "NaN": ("a,label\n1,x\nnan,y\n", "NaN"),
    "empty cell": ("a,label\n1,x\n,y\n", "not a number"),
    "missing label": ("a,label\n1,x\n2,\n", "without a label"),
    "one class": ("a,label\n1,x\n2,x\n", "classes in .* is 1;"),
    "zero row": ("a,label\n1,x\n0,y\n", "Row 1 .* all zero"),
    "only labels": ("label\nx\ny\n", "no column"),
}


@pytest.mark.parametrize("fault", WRONG_TABLES)
def test_wrong_tables_are_refused_in_one_sentence(tmp_path, fault):
    text, message = WRONG_TABLES[fault]
    with pytest.raises(DataError, match=message) as refusal:
        data.load(save_csv(tmp_path, text))
    assert_one_sentence(refusal.value)


def test_wrong_names_and_files_are_refused_in_one_sentence(tmp_path):
    (tmp_path / "text.npz").write_text("no archive")
    (tmp_path / "latin.csv").write_bytes("a,label\n1,\xe9\n".encode("latin1"))
    np.savez(tmp_path / "names.npz", data=GOOD, y=TWO)
    faults = {
        "mnits": "'mnist', 'citeseer'",
        tmp_path: "Unknown data set",
        tmp_path / "absent.csv": "no file",
        tmp_path / "text.npz": "plain arrays",
        tmp_path / "latin.csv": "UTF-8",
        tmp_path / "names.npz": "expected X",
    }
    for name, message in faults.items():
        with pytest.raises(DataError, match=message) as refusal:
            data.load(name)
        assert_one_sentence(refusal.value)
    with pytest.raises(DataError, match="'mean' or 'max'"):
        data.load("mnist", pooling="median")


def assert_one_sentence(error):
    text = str(error)
    assert text[-1] == "."
    assert "\n" not in text
    assert ". " not in text
