"""The four original files of MNIST: found in a folder, or downloaded once.

The folder is the one that is given, else ``$WFHELPERS_DATA``, else pooch's cache. Files that are missing are downloaded
into the latter two. An interrupted download goes on where it stopped; a file gets its name only when it is complete
and its sha256 is right.
"""

import gzip
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pooch
import requests
from numpy.typing import NDArray

from wfhelpers.core.data import DataError, digest

MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
)


@dataclass(frozen=True)
class Original:
    """One of MNIST's four files: sha256 of its content, and of the file as it is offered for download."""

    name: str
    content_sha256: str
    download_sha256: str


_LISTED = [
    "train-images-idx3-ubyte",
    "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    "train-labels-idx1-ubyte",
    "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "t10k-images-idx3-ubyte",
    "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "t10k-labels-idx1-ubyte",
    "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
]
FILES = tuple(Original(*_LISTED[i : i + 3]) for i in range(0, len(_LISTED), 3))


def read(root: str | Path | None = None) -> tuple[NDArray[np.uint8], NDArray[np.int64], str]:
    """Images ``[70000, 28, 28]``, those of the training set first, their labels, and a checksum of the four files."""
    folder = _folder(root)
    contents = [_content(folder, file) for file in FILES]
    train_images, train_labels, test_images, test_labels = (_array(content) for content in contents)
    labels = np.concatenate([train_labels, test_labels]).astype(np.int64)
    checksum = digest("".join(file.content_sha256 for file in FILES).encode())
    return np.concatenate([train_images, test_images]), labels, checksum


def _folder(root: str | Path | None) -> Path:
    """Folder with the four files: as given, as set in the environment, or the cache after a download."""
    if root is not None:
        return Path(root)
    chosen = os.environ.get("WFHELPERS_DATA")
    folder = Path(chosen) if chosen else Path(pooch.os_cache("wfhelpers"))
    for file in FILES:
        if _find(folder, file) is None:
            _download(folder, file)
    return folder


def _find(folder: Path, file: Original) -> Path | None:
    candidates = (folder / file.name, folder / f"{file.name}.gz")
    return next((path for path in candidates if path.is_file()), None)


def _download(folder: Path, file: Original) -> None:
    """Fetch one file; pooch puts it in place only when it is complete and its checksum is right."""
    name, failure = f"{file.name}.gz", None
    part = folder / f"{name}.part"

    def resume(url: str, output: str, _: Any) -> None:
        """Go on where an earlier attempt was interrupted."""
        done = part.stat().st_size if part.exists() else 0
        with part.open("ab") as stream:
            pooch.HTTPDownloader(progressbar=True, headers={"Range": f"bytes={done}-"})(url, stream, None)
        part.replace(output)

    for mirror in MIRRORS:
        try:
            pooch.retrieve(mirror + name, f"sha256:{file.download_sha256}", name, folder, downloader=resume)
            return
        except (OSError, ValueError) as error:
            failure = error
            if isinstance(error, requests.HTTPError):  # such as 416: there is nothing to go on with
                part.unlink(missing_ok=True)
    names = ", ".join(f"{file.name}.gz" for file in FILES)
    raise DataError(
        f"MNIST could not be downloaded to {folder} ({type(failure).__name__}); connect to the network and try again, "
        f"or put {names} into a folder and name it as root or in $WFHELPERS_DATA."
    ) from failure


def _content(folder: Path, file: Original) -> bytes:
    path = _find(folder, file)
    if path is None:
        raise DataError(f"{folder} has neither {file.name} nor {file.name}.gz; root must hold the four files of MNIST.")
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be read ({error}); replace it by the original file.") from error
    if digest(content) != file.content_sha256:
        raise DataError(f"{path} is not MNIST's original file (wrong sha256); replace it.")
    return content


def _array(content: bytes) -> NDArray[np.uint8]:
    """Array of an IDX file: two zero bytes, type 8 (uint8), number of axes, big-endian sizes, then the values."""
    axes = content[3]
    sizes = np.frombuffer(content, dtype=">u4", count=axes, offset=4)
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * axes).reshape(sizes.tolist())
