"""Cells: what their names depend on, and that their rows are those of the engine."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wfhelpers._support import InputError
from wfhelpers.core import evaluation, jobs, strategies
from wfhelpers.core.spectra import laplacian_spectrum
from wfhelpers.core.tasks import Task

FAST = {"steps": 3, "agnostic_architectures": 1, "agnostic_shared_weights": 1, "lottery_rounds": 2}


@pytest.fixture
def toy(tmp_path: Path) -> str:
    rng = np.random.default_rng(0)
    path = tmp_path / "toy.npz"
    np.savez(path, X=rng.normal(size=(36, 6)), y=np.repeat(["a", "b", "c"], 12))
    return str(path)


def page(dataset: str, **choices: object) -> list[jobs.Cell]:
    defaults = {"sizes": [3, 5], "test_per_class": 4, "runs": 2, "settings": FAST}
    return jobs.page_cells(dataset, "a", ["b", "c"], **{**defaults, **choices})  # type: ignore[arg-type]


def test_a_page_has_every_protocol_orientation_and_size(toy: str) -> None:
    made = page(toy)
    assert len(made) == 3 * 2 * 2
    assert {(cell.negative, cell.positive) for cell in made} == {(("a",), ("b", "c")), (("b", "c"), ("a",))}
    assert {cell.size for cell in made if cell.spectra} == {5}
    assert len({cell.name for cell in made}) == len(made)


def test_rows_are_those_of_the_engine(toy: str) -> None:
    cell = page(toy, protocol="charitable", orientation="given")[1]
    made = jobs.compute(cell)
    settings = replace(strategies.CHARITABLE, **FAST)  # type: ignore[arg-type]
    expected = evaluation.table(Task(toy, "a", ["b", "c"], 5, 4), settings, runs=2, seed=0)
    columns = ["task", "size", "model", "run", "auc", "train_loss", "density_1", "density_2"]
    pd.testing.assert_frame_equal(made.rows[columns], expected[columns].round(5), check_dtype=False)
    assert (made.rows["cell"] == cell.name).all()
    assert tuple(made.rows.columns) == jobs.COLUMNS


def test_spectra_are_quartiles_over_runs(toy: str) -> None:
    cell = page(toy, protocol="literal", orientation="given")[1]
    made = jobs.compute(cell).spectra
    draw = cell.task.draw(2, 0)
    settings = replace(strategies.LITERAL, **FAST)  # type: ignore[arg-type]
    spectra = laplacian_spectrum(strategies.fit("bin", draw, settings, 0)["bin"].weights).numpy()
    place = strategies.MODELS.index("bin")
    expected = np.quantile(spectra, [0.25, 0.5, 0.75], axis=0)
    np.testing.assert_allclose(made["bands"][place] * jobs.EIGENVALUE_STEP, expected, atol=1e-4)
    assert made["points"].shape == (10, 2, 2)


def test_a_pair_has_two_strategies(toy: str) -> None:
    made = jobs.pair_cells(toy, "literal", 3, test_per_class=4, runs=2, settings=FAST)
    assert [(cell.negative[0], cell.positive[0]) for cell in made[:3]] == [("a", "b"), ("a", "c"), ("b", "a")]
    assert len(made) == 6
    assert set(jobs.compute(made[0]).rows["model"]) == {"real", "real-bin", "bin", "bin-real"}


def test_a_name_depends_on_settings_data_and_code(toy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = page(toy)[0]
    assert cell.name == page(toy)[0].name
    assert replace(cell, runs=3).causes["settings"] != cell.causes["settings"]
    assert replace(cell, settings=(("steps", 4),)).causes["settings"] != cell.causes["settings"]
    other = tmp_path / "other" / "toy.npz"
    other.parent.mkdir()
    np.savez(other, X=np.random.default_rng(1).normal(size=(36, 6)), y=np.repeat(["a", "b", "c"], 12))
    changed = replace(cell, dataset=str(other))
    assert changed.key == cell.key
    assert {cause for cause in cell.causes if changed.causes[cause] != cell.causes[cause]} == {"data"}
    name = cell.name
    monkeypatch.setattr(jobs, "COMPUTED_BY", (*jobs.COMPUTED_BY, "plots"))
    assert cell.name != name


def test_comments_and_docstrings_are_no_code() -> None:
    plain = "def f(x):\n    return x + 1\n"
    dressed = '"""Module."""\n\ndef f(x):\n    """Add."""\n    # one more\n    return (x +\n        1)\n'
    assert jobs.bare_code(plain) == jobs.bare_code(dressed)
    assert jobs.bare_code(plain) != jobs.bare_code(plain.replace("1", "2"))


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"protocol": "best"}, "protocol is 'best'; expected all, literal, charitable, tuned"),
        ({"orientation": "up"}, "orientation is 'up'"),
        ({"runs": 0}, "runs is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"sizes": [3, 30]}, "has 12 objects"),
        ({"settings": {"step": 3}}, "Unknown setting 'step'"),
        ({"settings": {"steps": 0}}, "steps is 0"),
    ],
)
def test_wrong_choices_are_refused_before_any_work(toy: str, choices: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        page(toy, **choices)
