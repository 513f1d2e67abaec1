"""`wfhelpers.parameters`: by its rule alone, and through the papermill command as a user meets it."""

import subprocess
import sys
from pathlib import Path

import jupytext
import pytest

from wfhelpers import parameters

NOTEBOOK = """\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% tags=["parameters"]
dataset = "mnist"
negative = [1]
runs = 10
rate = 0.5
seed = None

# %%
from wfhelpers import parameters

parameters.check()

# %%
print("ran", dataset, negative, runs, rate, seed)
"""
DEFAULTS = 'dataset = "mnist"\nnegative: list[int] = [1]\nruns = 10\nrate = 0.5\nseed = None\nsizes = (50, 100)\n'


def papermill(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the notebook above with the papermill command and return what it printed."""
    source, target = folder / "page.ipynb", folder / "out.ipynb"
    jupytext.write(jupytext.reads(NOTEBOOK, fmt="py:percent"), source)
    command = [sys.executable, "-m", "papermill", "--log-output", "--no-progress-bar", source, target, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_papermill_stops_at_an_unknown_parameter_and_suggests_the_known_one(tmp_path: Path) -> None:
    done = papermill(tmp_path, "-p", "rusn", "3")
    assert done.returncode != 0
    assert "ParameterError: This notebook has no parameter 'rusn' (did you mean 'runs'?)" in done.stderr
    assert "ran mnist" not in done.stdout + done.stderr


def test_papermill_stops_at_a_value_of_another_type(tmp_path: Path) -> None:
    done = papermill(tmp_path, "-p", "runs", "ten")
    assert done.returncode != 0
    assert (
        "The parameter 'runs' was given 'ten', but it takes a value of type int such as its default 10." in done.stderr
    )


def test_papermill_runs_with_known_parameters(tmp_path: Path) -> None:
    done = papermill(tmp_path, "-y", "{dataset: citeseer, negative: [DB], rate: 1, seed: 7}")
    assert done.returncode == 0, done.stderr
    assert "ran citeseer ['DB'] 10 1 7" in done.stdout + done.stderr


def test_nothing_is_checked_outside_ipython() -> None:
    parameters.check()


@pytest.mark.parametrize(
    "injected",
    ["runs = 3", "rate = 2", "seed = 3", 'seed = "x"', 'negative = ["DB"]', "sizes = [1]", "rate = float('inf')", ""],
)
def test_values_of_the_declared_type_pass(injected: str) -> None:
    parameters.compare(DEFAULTS, injected)


@pytest.mark.parametrize(
    ("injected", "name"),
    [
        ("runs = 3.5", "runs"),
        ("runs = True", "runs"),
        ("runs = None", "runs"),
        ("negative = 4", "negative"),
        ("dataset = 1", "dataset"),
        ("runs = 2\nnope = 1", "nope"),
    ],
)
def test_other_values_and_names_are_refused_by_name(injected: str, name: str) -> None:
    with pytest.raises(parameters.ParameterError, match=f"parameter '{name}'"):
        parameters.compare(DEFAULTS, injected)


@pytest.mark.parametrize("value", [2, float("nan")])
def test_a_number_below_the_least_is_refused(value: float) -> None:
    with pytest.raises(parameters.ParameterError, match=f"'runs' is {value}; expected 3 or more"):
        parameters.at_least("runs", value, 3)


def test_a_word_that_is_no_choice_is_refused() -> None:
    with pytest.raises(parameters.ParameterError, match="'protocol' is 'fair'; expected one of literal, tuned"):
        parameters.one_of("protocol", "fair", ["literal", "tuned"])


def test_what_is_allowed_passes() -> None:
    parameters.at_least("runs", 3, 3)
    parameters.one_of("protocol", "tuned", ["literal", "tuned"])
