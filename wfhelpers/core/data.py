"""MNIST, Citeseer or your own table, prepared as in Sec. 5 of the paper: rows of unit norm, at most 64 columns.

`load` is the way in. It verifies a file's sha256, prepares the objects and returns a `Dataset`; whatever is wrong with
the input is said in one sentence, as a `DataError`. Two points that the paper leaves open are keywords: ``pooling``
(mean or max) and ``centred`` (whether the mean is taken off before the principal components).
"""

import csv
import hashlib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, eigsh
from threadpoolctl import threadpool_limits

from wfhelpers._support import InputError

WIDTH = 64  # the paper's I
BUNDLED = Path(__file__).parent / "bundled"
SHA256 = {
    "mnist": "c849d25f3c398ab9823c1c7ea4f235fe330565208c94883fa7ca3cb7b05c8b28",
    "citeseer": "01f6d47a5f77507a55bbf76f1395080b1d99af1fc187575283797924d9262b86",
}
POOLINGS = ("mean", "max")
RESERVE = range(0, 450, 3)
"""Places, among the objects of a class, of those that only trials may use: 150 of every class that has 450 objects."""


class DataError(InputError):
    """Data that cannot be used, or a task that they do not allow."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Labelled objects, ready for a `Task`.

    Attributes
    ----------
    name
        ``mnist``, ``citeseer``, or the name of the file.
    features
        float32 ``[n, I]``, every row of unit norm; read-only, since a loaded data set is shared within the process.
    labels
        ``[n]``, the class of each object.
    classes
        The different labels, sorted, as Python values.
    sha256
        Checksum of the file that was read; of the four files' checksums for the full MNIST.
    reserved
        Rows of the objects that only trials may use (`RESERVE`); none in a file of your own.
    """

    name: str
    features: NDArray[np.float32]
    labels: NDArray[Any]
    classes: tuple[Any, ...]
    sha256: str
    reserved: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    def members(self, chosen: Any) -> NDArray[np.int64]:
        """Rows of a class that results may use."""
        return np.setdiff1d(np.flatnonzero(self.labels == chosen), self.reserved, assume_unique=True)

    def reserve(self) -> "Dataset":
        """Return the objects that only trials may use: the stored trials of the protocol tuned were made on them."""
        labels = self.labels[self.reserved]
        return Dataset(self.name, self.features[self.reserved], labels, tuple(np.unique(labels).tolist()), self.sha256)


def load(
    name_or_path: str | Path,
    *,
    full: bool = False,
    root: str | Path | None = None,
    pooling: str = "mean",
    centred: bool = True,
) -> Dataset:
    """Load and prepare a data set.

    Parameters
    ----------
    name_or_path
        ``"mnist"`` (500 images per digit) or ``"citeseer"`` (all 3,312 papers), both bundled; or the path of a ``.npz``
        with arrays ``X`` and ``y``, or of a ``.csv`` with a column ``label``.
    full
        For MNIST, all 60,000 training images followed by the 10,000 test images, from the four original files: in
        `root`, else in the folder ``$WFHELPERS_DATA``, else downloaded once. The other data sets are always whole.
    root
        Folder of the four files of the full MNIST, compressed (``.gz``) or not.
    pooling
        ``"mean"`` or ``"max"`` of each 3x3 window (MNIST only; the paper does not say which).
    centred
        Whether principal components are those of the centred data (the paper does not say).
    """
    if pooling not in POOLINGS:
        raise DataError(f"pooling is {pooling!r}; expected 'mean' or 'max'.")
    if name_or_path == "mnist" and full:
        from wfhelpers.core import full_mnist  # only now: pooch is slow to import, and warns in a notebook

        images, labels, checksum = full_mnist.read(root)
        return _dataset("mnist", pool(images, pooling), labels, checksum)
    if isinstance(name_or_path, str) and name_or_path in SHA256:
        _verified(name_or_path)
        return _bundled(name_or_path, pooling, centred)
    return _from_file(name_or_path, centred)


def pool(images: NDArray[np.uint8], pooling: str = "mean") -> NDArray[np.float64]:
    """Crop 2 pixels per side, pool 64 windows of 3x3 pixels, vectorize: ``[n, 28, 28]`` to ``[n, 64]`` (Sec. 5)."""
    windows = images[:, 2:26, 2:26].reshape(-1, 8, 3, 8, 3)
    pooled: NDArray[Any] = windows.max(axis=(2, 4)) if pooling == "max" else windows.mean(axis=(2, 4))
    return pooled.reshape(-1, WIDTH).astype(np.float64)


def principal_scores(
    rows: NDArray[np.float64] | csr_array, count: int = WIDTH, *, centred: bool = True
) -> NDArray[np.float64]:
    """Coordinates of the rows on their own first principal components, largest variance first (Sec. 5)."""
    mean, axes = principal_axes(rows, count, centred=centred)
    return project(rows, mean, axes)


def principal_axes(
    rows: NDArray[np.float64] | csr_array, count: int = WIDTH, *, centred: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean of the rows (zero if not centred) and their first `count` principal components, as columns.

    Components without variance are left out. An eigenvector's sign is free: here the row with the largest absolute
    score has a positive one. One thread, because the last digits of a sum would depend on how many share it.
    """
    mean = np.asarray(rows.mean(axis=0)) if centred else np.zeros(rows.shape[1])
    with threadpool_limits(1, user_api="blas"):
        axes = (_sparse_axes if isinstance(rows, csr_array) else _dense_axes)(rows, mean, count)
        scores = project(rows, mean, axes)
    extremes = np.take_along_axis(scores, np.abs(scores).argmax(axis=0, keepdims=True), axis=0)
    return mean, axes * np.sign(extremes)


def project(
    rows: NDArray[np.float64] | csr_array, mean: NDArray[np.float64], axes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Coordinates of any rows on given components."""
    with threadpool_limits(1, user_api="blas"):
        return np.asarray(rows @ axes - mean @ axes)


def unit_rows(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """Divide each row by its Euclidean norm, ``x^T x = 1`` (Sec. 5).

    Values are rounded to multiples of 2^-22, coarser than what processors differ by: all get the same features.
    """
    _refuse_zero_rows(rows)
    # Scaled first, because the squares of very large or small values would leave the range of floats.
    scaled: NDArray[np.float64] = rows / np.abs(rows).max(axis=1, keepdims=True)
    unit: NDArray[np.float64] = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    return (np.round(unit * 2**22) / 2**22).astype(np.float32)


def _refuse_zero_rows(rows: NDArray[np.float64]) -> None:
    empty = np.flatnonzero(~rows.any(axis=1))
    if len(empty):
        raise DataError(f"Row {empty[0]} (counted from 0) is all zero and has no direction; drop such rows.")


def _dense_axes(rows: NDArray[np.float64], mean: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Right singular vectors."""
    _, sizes, vectors = np.linalg.svd(rows - mean, full_matrices=False)
    axes: NDArray[np.float64] = vectors[sizes > 1e-6 * sizes[0]][:count].T
    return axes


def _sparse_axes(rows: csr_array, mean: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Eigenvectors of ``X^T X``, by way of ``X X^T``, which is applied without ever being formed."""
    transposed = rows.T.tocsr()
    products, square = rows @ mean, mean @ mean

    def gram(v: NDArray[np.float64]) -> NDArray[np.float64]:
        total = v.sum()
        return np.asarray(rows @ (transposed @ v) - products * total - products @ v + square * total)

    n = rows.shape[0]
    operator = LinearOperator((n, n), matvec=gram, dtype=np.float64)
    start = np.cos(np.arange(n))  # any fixed vector: the default is random
    values, vectors = eigsh(operator, k=count, ncv=2 * count + 2, v0=start)
    axes = (transposed @ vectors - np.outer(mean, vectors.sum(axis=0))) / np.sqrt(values)
    return np.asarray(axes)[:, ::-1]


def mnist_images() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Bundled digits as they are: uint8 images ``[5000, 28, 28]`` and their labels."""
    with _verified("mnist") as arrays:
        return arrays["images"], arrays["labels"].astype(np.int64)


def citeseer_words() -> tuple[csr_array, NDArray[np.str_]]:
    """Bundled abstracts as they are: a sparse binary matrix ``[3312, 3703]`` of words and the papers' classes."""
    with _verified("citeseer") as arrays:
        ends = np.concatenate([[0], np.cumsum(arrays["words_per_paper"], dtype=np.int32)], dtype=np.int32)
        columns = arrays["columns"].astype(np.int32)
        shape = (len(ends) - 1, int(arrays["vocabulary"]))
        return csr_array((np.ones(len(columns)), columns, ends), shape=shape), arrays["classes"][arrays["labels"]]


def digest(content: bytes) -> str:
    """Sha256 as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _verified(name: str) -> Any:
    """Open a bundled file after its checksum was found right."""
    path = BUNDLED / f"{name}.npz"
    if not path.is_file():
        raise DataError(f"{path} is missing; install the package again.")
    if digest(path.read_bytes()) != SHA256[name]:
        raise DataError(f"{path} is damaged (wrong sha256); install the package again.")
    return np.load(path, allow_pickle=False)


@lru_cache
def _bundled(name: str, pooling: str, centred: bool) -> Dataset:
    if name == "mnist":
        images, digits = mnist_images()
        return _dataset(name, pool(images, pooling), digits, SHA256[name])
    words, topics = citeseer_words()
    return _dataset(name, principal_scores(words, centred=centred), topics, SHA256[name])


def _dataset(name: str, rows: NDArray[np.float64], labels: NDArray[Any], checksum: str) -> Dataset:
    features = unit_rows(rows)
    features.setflags(write=False)
    labels.setflags(write=False)
    classes = np.unique(labels).tolist()
    rows_by_class = [np.flatnonzero(labels == each) for each in classes if name in SHA256]
    reserved = [members[list(RESERVE)] for members in rows_by_class if len(members) >= RESERVE.stop]
    return Dataset(name, features, labels, tuple(classes), checksum, *([np.concatenate(reserved)] if reserved else []))


def _from_file(name_or_path: str | Path, centred: bool) -> Dataset:
    readers = {".npz": _read_npz, ".csv": _read_csv}
    path = Path(name_or_path)
    if path.suffix.lower() not in readers:
        known = ", ".join(repr(name) for name in SHA256)
        raise DataError(f"Unknown data set {str(name_or_path)!r}; known are {known}, and paths to a .npz or .csv file.")
    if not path.is_file():
        raise DataError(f"There is no file {path}; check the path.")
    rows, labels = readers[path.suffix.lower()](path)
    _check_table(path, rows, labels)
    rows = rows / np.abs(rows).max()  # the preparation is free of scale; very large values would overflow
    if rows.shape[1] > WIDTH:
        rows = principal_scores(rows, centred=centred)
    return _dataset(path.name, rows, labels, digest(path.read_bytes()))


def _read_npz(path: Path) -> tuple[NDArray[np.float64], NDArray[Any]]:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            rows, labels = arrays["X"], arrays["y"]
    except KeyError as error:
        raise DataError(f"{path} lacks an array; expected X (objects by columns) and y (labels).") from error
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(
            f"{path} is not an .npz of plain arrays (pickled objects are refused); save X and y as such."
        ) from error
    if rows.dtype.kind not in "buif" or rows.ndim != 2:
        raise DataError(f"X in {path} is {rows.dtype} with {rows.ndim} axes; expected numbers, objects by columns.")
    if labels.shape != rows.shape[:1]:
        raise DataError(f"y in {path} has shape {labels.shape}; expected {(len(rows),)}, a label for each row of X.")
    if labels.dtype.kind == "S":
        labels = labels.astype(np.str_)
    return rows.astype(np.float64), labels


def _read_csv(path: Path) -> tuple[NDArray[np.float64], NDArray[Any]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            header, *body = [row for row in csv.reader(stream) if row] or [[]]
    except (csv.Error, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not a text table ({error}); expected comma-separated values in UTF-8.") from error
    if header.count("label") != 1:
        raise DataError(f"{path} has {header.count('label')} columns named label; expected one, in the first line.")
    ragged = next((i for i, row in enumerate(body) if len(row) != len(header)), None)
    if ragged is not None:
        raise DataError(
            f"Row {ragged} (counted from 0) of {path} has {len(body[ragged])} values; expected {len(header)}, "
            "as many as the first line names."
        )
    where = header.index("label")
    labels = [row.pop(where).strip() for row in body]
    try:
        return np.array(body, dtype=np.float64).reshape(len(body), len(header) - 1), _typed(labels)
    except ValueError as error:
        raise DataError(f"{path} has a feature that is not a number ({error}).") from error


def _typed(labels: Sequence[str]) -> NDArray[Any]:
    """Whole numbers where all labels are such, text otherwise."""
    try:
        return np.array([int(label) for label in labels])
    except ValueError:
        return np.array(labels)


def _check_table(path: Path, rows: NDArray[np.float64], labels: NDArray[Any]) -> None:
    if rows.shape[1] == 0:
        raise DataError(f"{path} has no column of features; expected at least one.")
    bad = np.argwhere(~np.isfinite(rows))
    if len(bad):
        row, column = bad[0]
        raise DataError(f"Row {row}, column {column} (counted from 0) of {path} is NaN or infinite; mend or drop it.")
    missing = labels == "" if labels.dtype.kind == "U" else labels != labels  # only NaN differs from itself
    if missing.any():
        raise DataError(f"{path} has an object without a label; give it one or drop it.")
    count = len(np.unique(labels))
    if count < 2:
        raise DataError(f"The number of classes in {path} is {count}; expected at least 2.")
    _refuse_zero_rows(rows)
