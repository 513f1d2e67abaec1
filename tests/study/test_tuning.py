"""What the trials say, on a table whose answers are known."""

import pandas as pd
import pytest

from wfhelpers.core.protocols import RATES
from wfhelpers.show import figures_trials
from wfhelpers.study import tuning


@pytest.fixture
def trials() -> pd.DataFrame:
    """Two rounds for every field: in the first the rate 0.1 is best, in the second mini-batches of one object are."""
    lines = []
    for field in tuning.FIELDS:
        for rate in RATES:
            for steps in (200, 1000, 2000):
                for scale in (1.0, 0.1):
                    same = {"field": field, "scale": scale, "mean": 0.0, "rate": rate, "steps": steps}
                    value = 0.9 if rate == 0.1 else 0.7 if rate == RATES[0] else 0.6
                    lines.append({**same, "batch": None, "runs": 1, "validation_auc": value - 0.01 * (scale == 1.0)})
        for batch, value in ((None, 0.80), (20, 0.81), (1, 0.82)):
            same = {"field": field, "scale": 0.1, "mean": 0.0, "rate": 0.1, "steps": 1000}
            lines.append({**same, "batch": batch, "runs": 5, "validation_auc": value})
    lines.append({"field": "random", "scale": 1.0, "runs": 5, "validation_auc": 0.99})
    return pd.DataFrame(lines)


def test_winners_are_those_of_the_second_round(trials: pd.DataFrame) -> None:
    best = tuning.best(trials)
    assert list(best.index) == list(tuning.FIELDS)
    assert set(best["validation_auc"]) == {0.82}


def test_ends_are_compared_with_the_best_rate(trials: pd.DataFrame) -> None:
    ends = tuning.ends(trials)
    assert set(ends["at 0.001"]) == {0.2}
    assert set(ends["at 100"]) == {0.3}
    assert set(ends["rate of the winner"]) == {"0.1"}


def test_sizes_of_mini_batches_are_compared_in_the_second_round(trials: pd.DataFrame) -> None:
    table = tuning.by_batch(trials)
    assert table.loc["bin"].to_dict() == {"all objects": 0.80, "20 at a time": 0.81, "1 at a time": 0.82}


def test_the_figure_has_a_panel_per_field_and_updates_and_a_star_per_field(trials: pd.DataFrame) -> None:
    figure = figures_trials.trials(trials)
    assert len(figure.axes) == 6 * 3
    stars = [line for axes in figure.axes for line in axes.lines if line.get_marker() == "*"]
    assert len(stars) == 6
    assert all(line.get_xdata()[0] == 0.1 for line in stars)
    assert {len(axes.lines) for axes in figure.axes} == {2, 3}  # two starts, and the star in one column
