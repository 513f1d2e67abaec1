"""Tables and figures of a task's page, on tables whose answer is known."""

import io

import numpy as np
import pandas as pd
import PIL.Image
import pytest
from bs4 import BeautifulSoup

from wfhelpers.core.jobs import EIGENVALUE_STEP, Result
from wfhelpers.core.strategies import BINARY_MODELS, MODELS
from wfhelpers.show import figures, report
from wfhelpers.show.figures_models import runtime_and_auc


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


def shown(table: pd.DataFrame) -> dict[str, list[str]]:
    """Text of each row of the standings, by model."""
    page = BeautifulSoup(report.standings(table).data, "html.parser")
    return {row.th.text: [cell.get_text(" ") for cell in row.find_all("td")] for row in page.select("tbody tr")}


def test_marks_tell_ties_from_wins() -> None:
    lines = shown(pd.concat([rows({"bin": STEADY}), rows({"bin": STEADY, "real": WILD}, size=100)]))
    alone, tied = ({model: cells[column] for model, cells in lines.items()} for column in (0, 1))
    assert alone["bin"] in ("0.904* 0.90–0.91", "0.905* 0.90–0.91")
    assert [model for model in alone if set(alone[model]) & set("*=")] == ["bin"]
    assert [model for model in tied if "=" in tied[model]] == ["real", "bin"]


def test_standings_have_a_median_with_its_quartiles_for_each_model_protocol_and_size() -> None:
    page = BeautifulSoup(report.standings(pd.concat([rows({}, 50), rows({}, 100)])).data, "html.parser")
    assert [cell.text for cell in page.select("thead th")][-2:] == ["50 per class", "100 per class"]
    assert set(shown(rows({}))["random→bin"]) <= {"0.500 0.50–0.50", "0.500= 0.50–0.50"}


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
def test_the_summary_counts_wins_and_ties(aucs: dict[str, list[float]], counts: tuple[int, int, int]) -> None:
    said = report.summary(rows(aucs))
    best, alone, tied = counts
    assert f"in {best} of 1 cases" in said
    assert f"in {alone} of them" in said
    assert f"in {tied} more" in said


def test_densities_have_one_row_per_model() -> None:
    table = report.densities(pd.concat([rows({}), rows({}, protocol="tuned")]))
    assert table.shape == (10, 2)
    assert set(table.to_numpy().ravel()) == {"0.50, 0.25"}


def test_stored_spectra_are_drawn_as_eigenvalues() -> None:
    bands = np.random.default_rng(0).integers(0, 20_000, (10, 3, 6)).astype(np.int16)
    spectra = {"bands": bands, "points": np.zeros((10, 2, 2)), "explained": np.ones(2)}
    result = Result("x", {"protocol": "literal"}, {}, rows({}), spectra)
    real, binary, plane = report.spectra([result]).axes
    for model, (low, median, high) in zip(MODELS, bands * EIGENVALUE_STEP, strict=True):
        axes, colour = (binary if model in BINARY_MODELS else real), figures.model_style(model)["color"]
        drawn = [line.get_ydata() for line in axes.lines if line.get_color() == colour]
        np.testing.assert_allclose(drawn, [median, low, high])
    assert len(plane.lines) == 10
    assert real.get_title() == "literal\nreal networks"


def test_a_small_figure_keeps_its_colours() -> None:
    image = PIL.Image.open(io.BytesIO(report.small(runtime_and_auc(rows({"real": STEADY}), "protocol")).data))
    seen = np.asarray(image.convert("RGB")).reshape(-1, 3).astype(int)
    for colour in figures.COLOURS.values():
        wanted = [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
        assert np.abs(seen - wanted).sum(1).min() <= 6
