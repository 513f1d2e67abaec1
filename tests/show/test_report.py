"""Tables and figures of a task's page, on tables whose answer is known."""

import io

import numpy as np
import pandas as pd
import PIL.Image
import pytest
from bs4 import BeautifulSoup

from wfhelpers.core.jobs import Result
from wfhelpers.core.strategies import MODELS
from wfhelpers.show import figures, report


def rows(aucs: dict[str, list[float]], size: int = 50, protocol: str = "literal") -> pd.DataFrame:
    """Rows of the ten models, at 0.5 where no values are given."""
    return pd.DataFrame(
        [
            {"protocol": protocol, "task": "1 vs 2", "size": size, "model": model, "run": run, "auc": value}
            | {"density_1": 0.5, "density_2": 0.25, "seconds_total": 0.1 + run}
            for model in MODELS
            for run, value in enumerate(aucs.get(model, [0.5] * 10))
        ]
    )


STEADY = [0.9 + run / 1000 for run in range(10)]
WILD = [0.5, 1.0] * 5


def test_marks_tell_ties_from_wins() -> None:
    both = pd.concat([rows({"bin": STEADY}), rows({"bin": STEADY, "real": WILD}, size=100)])
    table = report.standings(both)
    alone, tied = table[("literal", "50 a class")], table[("literal", "100 a class")]
    assert alone["bin"] in ("0.904* 0.90–0.91", "0.905* 0.90–0.91")
    assert [model for model in alone.index if set(alone[model]) & set("*=")] == ["bin"]
    assert [model for model in tied.index if "=" in tied[model]] == ["real", "bin"]


def test_standings_on_the_page_show_every_median_and_its_quartiles() -> None:
    shown = BeautifulSoup(report.standings_html(rows({"bin": STEADY})).data, "html.parser")
    cells = [cell.get_text(" ") for cell in shown.find_all("td")]
    assert cells == report.standings(rows({"bin": STEADY}))[("literal", "50 a class")].tolist()


@pytest.mark.parametrize(
    ("aucs", "counts"),
    [
        ({"bin": STEADY}, (1, 1, 0)),
        ({"bin": STEADY, "bin-real": STEADY}, (1, 1, 0)),
        ({"bin": STEADY, "real": WILD}, (1, 0, 0)),
        ({"real": [0.95] * 10, "bin": [0.9, 1.0] * 5}, (0, 0, 1)),
        ({"real": STEADY}, (0, 0, 0)),
    ],
)
def test_the_verdict_counts_wins_and_ties(aucs: dict[str, list[float]], counts: tuple[int, int, int]) -> None:
    said = report.verdict(rows(aucs))
    best, alone, tied = counts
    assert f"in {best} of 1 panels" in said
    assert f"in {alone} of them" in said
    assert f"in {tied} more" in said


def test_densities_have_a_row_a_model() -> None:
    table = report.densities(pd.concat([rows({}), rows({}, protocol="tuned")]))
    assert table.shape == (10, 2)
    assert set(table.to_numpy().ravel()) == {"0.50, 0.25"}


def test_figures_have_a_panel_a_protocol_and_size() -> None:
    both = pd.concat([rows({}, size, protocol) for size in (50, 100) for protocol in ("literal", "tuned")])
    figure = report.runtime_auc(both)
    assert [axes.get_title() for axes in figure.axes] == [
        *("literal, 50 a class", "literal, 100 a class"),
        *("tuned, 50 a class", "tuned, 100 a class"),
    ]


def test_real_and_binary_spectra_are_drawn_apart() -> None:
    spectra = {"bands": np.zeros((10, 3, 6), dtype=np.int16), "points": np.zeros((10, 2, 2)), "explained": np.ones(2)}
    result = Result("x", {"protocol": "literal"}, {}, rows({}), spectra)
    real, binary, plane = report.spectra_and_map([result]).axes
    assert len(real.lines) - len(MODELS) == len(binary.lines) == 5 * 3  # the legend's handles live in the first panel
    assert len(plane.lines) == 10


def test_a_small_figure_keeps_its_colours() -> None:
    image = PIL.Image.open(io.BytesIO(report.small(report.runtime_auc(rows({"real": STEADY}))).data))
    seen = np.asarray(image.convert("RGB")).reshape(-1, 3).astype(int)
    for colour in figures.COLOURS.values():
        wanted = [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
        assert np.abs(seen - wanted).sum(1).min() <= 6
