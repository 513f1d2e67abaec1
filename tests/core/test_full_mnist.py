"""The way to the full MNIST, on small made-up files and a server on this machine."""

import gzip
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from wfhelpers.core import data, full_mnist
from wfhelpers.core.data import DataError


def idx(array):
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, dtype=">u4").tobytes() + array.tobytes()


@pytest.fixture
def originals(monkeypatch):
    """Four made-up files in the place of MNIST's, as {name: compressed content}."""
    rng = np.random.default_rng(0)
    contents = {}
    for part, count in (("train", 30), ("t10k", 12)):
        images = rng.integers(1, 256, (count, 28, 28), dtype=np.uint8)
        contents[f"{part}-images-idx3-ubyte"] = idx(images)
        contents[f"{part}-labels-idx1-ubyte"] = idx((np.arange(count) % 10).astype(np.uint8))
    packed = {name: gzip.compress(content, mtime=0) for name, content in contents.items()}
    files = [full_mnist.Original(name, data.digest(contents[name]), data.digest(packed[name])) for name in contents]
    monkeypatch.setattr(full_mnist, "FILES", tuple(files))
    monkeypatch.delenv("WFHELPERS_DATA", raising=False)
    return {f"{name}.gz": content for name, content in packed.items()}


def fill(folder, originals, *, packed):
    folder.mkdir()
    for name, content in originals.items():
        target = folder / (name if packed else name.removesuffix(".gz"))
        target.write_bytes(content if packed else gzip.decompress(content))
    return folder


@pytest.mark.parametrize("packed", [True, False])
def test_full_mnist_is_read_from_root_and_from_the_environment(tmp_path, monkeypatch, originals, packed):
    folder = fill(tmp_path / "files", originals, packed=packed)
    loaded = data.load("mnist", full=True, root=folder)
    assert loaded.features.shape == (42, 64)
    assert loaded.labels.tolist() == [i % 10 for i in range(30)] + [i % 10 for i in range(12)]
    train = gzip.decompress(originals["train-images-idx3-ubyte.gz"])
    pixels = np.frombuffer(train, np.uint8, offset=16).reshape(30, 28, 28)
    assert np.array_equal(loaded.features[:30], data.unit_rows(data.pool(pixels)))
    monkeypatch.setenv("WFHELPERS_DATA", str(folder))
    assert data.load("mnist", full=True).sha256 == loaded.sha256


def test_a_wrong_root_is_refused(tmp_path, originals):
    with pytest.raises(DataError, match="neither"):
        data.load("mnist", full=True, root=tmp_path)
    folder = fill(tmp_path / "files", originals, packed=False)
    (folder / "t10k-labels-idx1-ubyte").write_bytes(b"other")
    with pytest.raises(DataError, match="wrong sha256"):
        data.load("mnist", full=True, root=folder)
    (folder / "t10k-labels-idx1-ubyte").unlink()
    packed = originals["t10k-labels-idx1-ubyte.gz"]
    for damaged in (b"no gzip", packed[:-9], packed[:20] + b"damage" + packed[26:]):
        (folder / "t10k-labels-idx1-ubyte.gz").write_bytes(damaged)
        with pytest.raises(DataError, match="cannot be read"):
            data.load("mnist", full=True, root=folder)


class Mirror:
    """Local HTTP server of some files, which can break off, lie, ignore ranges, and keeps a log of requests."""

    def __init__(self, files):
        self.files, self.log = files, []
        self.break_after = None
        self.ranges = True
        mirror = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                mirror.answer(self)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def answer(self, request):
        name, span = request.path.removeprefix("/"), request.headers.get("Range")
        self.log.append((name, span))
        content = self.files.get(name)
        if content is None:
            return request.send_error(404)
        begin = int(span.removeprefix("bytes=").removesuffix("-")) if span and self.ranges else 0
        if begin >= len(content):
            return request.send_error(416)
        request.send_response(206 if begin else 200)
        request.send_header("Content-Length", str(len(content) - begin))
        request.end_headers()
        end = len(content) if self.break_after is None else begin + self.break_after
        request.wfile.write(content[begin:end])
        return None

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def mirror(originals, tmp_path, monkeypatch):
    opened = Mirror(originals)
    monkeypatch.setattr(full_mnist, "MIRRORS", (opened.address,))
    monkeypatch.setenv("WFHELPERS_DATA", str(tmp_path / "cache"))
    yield opened
    opened.close()


def test_full_mnist_is_downloaded_once(mirror, originals, tmp_path):
    first = data.load("mnist", full=True)
    assert first.features.shape == (42, 64)
    assert [name for name, _ in mirror.log] == list(originals)
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == sorted(originals)
    data.load("mnist", full=True)
    assert len(mirror.log) == 4


def test_an_interrupted_download_puts_nothing_in_place_and_goes_on_later(mirror, originals, tmp_path):
    mirror.break_after = 5000
    with pytest.raises(DataError, match="try again"):
        data.load("mnist", full=True)
    first = next(iter(originals))
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [f"{first}.part"]
    kept = (tmp_path / "cache" / f"{first}.part").read_bytes()
    assert len(kept) > 0
    assert originals[first].startswith(kept)
    mirror.break_after = None
    assert data.load("mnist", full=True).features.shape == (42, 64)
    assert mirror.log[1] == (first, f"bytes={len(kept)}-")
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == sorted(originals)


@pytest.mark.parametrize("fault", ["complete part", "foreign part", "server without ranges"])
def test_a_useless_part_costs_one_more_attempt_at_most(mirror, originals, tmp_path, fault):
    first = next(iter(originals))
    part = tmp_path / "cache" / f"{first}.part"
    part.parent.mkdir()
    part.write_bytes(originals[first] if fault == "complete part" else b"foreign")
    mirror.ranges = fault != "server without ranges"
    with pytest.raises(DataError):
        data.load("mnist", full=True)
    assert list(part.parent.iterdir()) == []
    assert data.load("mnist", full=True).features.shape == (42, 64)


def test_a_second_mirror_stands_in_for_one_that_sends_something_else(mirror, originals, monkeypatch):
    liar = Mirror(dict.fromkeys(originals, b"something else"))
    monkeypatch.setattr(full_mnist, "MIRRORS", (liar.address, mirror.address))
    assert data.load("mnist", full=True).features.shape == (42, 64)
    assert len(liar.log) == len(mirror.log) == 4
    liar.close()


def test_without_a_network_one_sentence_says_what_to_do(mirror, monkeypatch):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setattr(full_mnist, "MIRRORS", (f"http://127.0.0.1:{unused.getsockname()[1]}/",))
        with pytest.raises(DataError, match=r"root or in \$WFHELPERS_DATA") as refusal:
            data.load("mnist", full=True)
    assert "\n" not in str(refusal.value)
    assert mirror.log == []
