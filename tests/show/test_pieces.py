"""The files that pieces of HTML are made of."""

import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from wfhelpers.show.pieces import link, piece

ROOT = Path(__file__).parents[2]
ASSETS = sorted(Path(str(files("wfhelpers.show") / "assets")).iterdir())


def test_a_piece_has_its_style_and_its_script_inside() -> None:
    html = piece("overview", "some-table", head="<th>$head</th>", body="")
    assert "#some-table thead th" in html
    assert '("some-table");' in html
    assert "<th>$head</th>" in html  # what is filled in is not a template
    with pytest.raises(KeyError, match="body"):
        piece("overview", "some-table", head="")


@pytest.mark.parametrize("asset", ASSETS, ids=lambda path: path.name)
def test_assets_are_installed_with_the_package_and_need_no_network(asset: Path) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["wfhelpers"]
    assert any(asset.relative_to(ROOT / "wfhelpers").match(pattern) for pattern in declared)
    assert "http" not in asset.read_text(encoding="utf-8")


def test_nothing_is_read_when_a_piece_is_imported() -> None:
    watch = (
        "import sys; sys.addaudithook(lambda event, words: event == 'open' and 'assets' in str(words[0]) and exit(1))"
    )
    done = subprocess.run([sys.executable, "-c", f"{watch}\nimport wfhelpers.show.explorer, wfhelpers.show.slider"])
    assert done.returncode == 0


def test_a_link_keeps_markup_out() -> None:
    assert link("a <b>", 'x"y') == '<a href="x&quot;y">a &lt;b&gt;</a>'
    assert link("a <b>", None) == "a &lt;b&gt;"
