"""Quartiles, intervals, wins and ties, against numpy, scipy and tables whose answer is known."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import bootstrap

from wfhelpers._support import InputError
from wfhelpers.core.strategies import MODELS
from wfhelpers.study.intervals import _resampled_medians, contrast, margin, quartiles, side, spread, winners


def results_of(**models):
    """Table of results of one task and size with the given AUCs, one per run."""
    tables = [pd.DataFrame({"model": model, "auc": aucs, "run": range(len(aucs))}) for model, aucs in models.items()]
    return pd.concat(tables).assign(task="a vs b", size=10)


def test_margin_is_between_the_best_medians():
    made = margin(results_of(a=[0.1, 0.5, 0.9], b=[0.6, 0.6, 0.7], c=[0.2, 0.8, 0.3]), ["a", "b"], ["c"]).iloc[0]
    assert made.margin == pytest.approx(0.6 - 0.3)


def test_margin_is_paired():
    rng = np.random.default_rng(0)
    hard_or_easy = rng.uniform(0, 1, 10)
    made = margin(results_of(a=hard_or_easy + 0.01, b=hard_or_easy), ["a"], ["b"]).iloc[0]
    np.testing.assert_allclose(made, 0.01)  # the same gain in every run: no uncertainty, however different the runs


def test_margin_interval_agrees_with_scipy():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.8, 0.1, 30), rng.normal(0.7, 0.1, 30)

    def difference(first, second, axis):
        return np.median(first, axis=axis) - np.median(second, axis=axis)

    expected = bootstrap((a, b), difference, paired=True, method="percentile", n_resamples=20_000, rng=2)
    made = margin(results_of(a=a, b=b), ["a"], ["b"], resamples=20_000).iloc[0]
    np.testing.assert_allclose([made.lower, made.upper], expected.confidence_interval, atol=0.005)


def test_margin_chooses_the_best_again_in_each_resample():
    made = margin(results_of(a=[0.0, 1.0] * 5, b=[1.0, 0.0] * 5, c=[0.5] * 10), ["a", "b"], ["c"]).iloc[0]
    assert (made.margin, made.lower) == (0.0, 0.0)  # one of a and b has a median of 0.5 or more, whatever is drawn
    assert made.upper == 0.5


def test_margin_has_one_row_per_task_and_size():
    one = results_of(a=[0.5, 0.7], b=[0.5, 0.5])
    both = pd.concat([one, one.assign(size=20)])
    assert margin(both, ["a"], ["b"]).index.tolist() == [("a vs b", 10), ("a vs b", 20)]


def test_medians_are_those_of_numpy_over_runs_drawn_with_replacement():
    for runs in (7, 10):  # an odd number and an even one
        values = np.random.default_rng(runs).normal(size=(runs, 3))
        drawn = _resampled_medians(values, resamples=50, seed=4)
        chosen = np.random.default_rng(4).integers(0, runs, (50, runs))
        np.testing.assert_allclose(drawn, [np.median(values[each], axis=0) for each in chosen])


def test_quartiles_are_those_of_numpy():
    table = results_of(a=[0.6, 0.7, 0.8, 0.4], b=[0.5, 0.5, 0.5, 0.9])
    found = quartiles(table, ["task", "model"])
    np.testing.assert_allclose(found.loc[("a vs b", "a")], np.quantile([0.6, 0.7, 0.8, 0.4], [0.25, 0.5, 0.75]))
    assert found.index.get_level_values("model").tolist() == ["a", "b"]


def test_contrast_of_two_columns_is_the_margin_of_two_models():
    rng = np.random.default_rng(0)
    by_run = pd.DataFrame({"a": rng.uniform(size=7), "b": rng.uniform(size=7)})
    long = by_run.rename_axis("run").reset_index().melt("run", var_name="model", value_name="auc")
    known = margin(long.assign(task="t", size=1), ["a"], ["b"]).iloc[0]
    assert contrast(by_run, {"a": 1, "b": -1}) == pytest.approx(tuple(known[["margin", "lower", "upper"]]))


def test_contrast_of_equal_columns_is_exactly_zero():
    by_run = pd.DataFrame({"a": [0.3, 0.5, 0.9], "b": [0.3, 0.5, 0.9]})
    assert contrast(by_run, {"a": 1, "b": -1}) == (0, 0, 0)


def test_two_runs_are_too_few_for_an_interval():
    with pytest.raises(InputError, match="at least 3"):
        contrast(pd.DataFrame({"a": [0.1, 0.2]}), {"a": 1})


def test_spread_is_the_range_of_the_medians():
    by_run = pd.DataFrame({0.1: [0.5, 0.6, 0.7], 1.0: [0.9, 0.9, 0.9], 3.0: [0.8, 0.2, 0.3]})
    value, lower, upper = spread(by_run)
    assert value == pytest.approx(0.9 - 0.3)
    assert lower <= value <= upper
    drawn = np.ptp(_resampled_medians(by_run.to_numpy()), axis=1)
    assert (lower, upper) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))


@pytest.mark.parametrize(
    ("lower", "upper", "threshold", "expected"),
    [
        (0.01, 0.2, 0.0, 1),
        (-0.2, -0.01, 0.0, -1),
        (-0.1, 0.1, 0.0, 0),
        (0.0, 0.1, 0.0, 0),  # an end on the threshold is on neither side
        (-0.1, 0.0, 0.0, 0),
        (0, 0, 0.0, 0),
        (0.06, 0.2, 0.05, 1),
        (-0.1, 0.04, 0.05, -1),
        (0.0, 0.1, 0.05, 0),
    ],
)
def test_an_interval_lies_above_below_or_around_a_threshold(lower, upper, threshold, expected):
    assert side(lower, upper, threshold) == expected
    ends = pd.DataFrame({"lower": [lower] * 2, "upper": [upper] * 2}, index=["a", "b"])
    found = side(ends["lower"], ends["upper"], threshold)
    assert found.to_dict() == {"a": expected, "b": expected}
    np.testing.assert_array_equal(side(ends["lower"].to_numpy(), ends["upper"].to_numpy(), threshold), [expected] * 2)


STEADY = [0.9 + run / 1000 for run in range(10)]
WILD = [0.5, 1.0] * 5


def case_of(size=10, **aucs):
    """Ten models with an AUC of 0.5 where none is given."""
    named = {model.replace("_", "-"): values for model, values in aucs.items()}
    return results_of(**{model: named.get(model, [0.5] * 10) for model in MODELS}).assign(protocol="tuned", size=size)


@pytest.mark.parametrize(
    ("aucs", "best", "tied"),
    [
        ({"bin": STEADY}, "bin", ()),  # better in every run: it wins
        ({"bin": STEADY, "real": WILD}, "bin", ("real",)),  # better in some runs: they tie
        ({}, "real", MODELS[1:]),  # all equal: they tie, and the first is named
    ],
)
def test_a_win_is_told_from_a_tie(aucs, best, tied):
    assert winners(case_of(**aucs))[["best", "tied"]].iloc[0].tolist() == [best, tied]


def test_ties_are_those_whose_margin_is_not_clear():
    rng = np.random.default_rng(1)
    parts = []
    for size, noise in ((50, 0.01), (100, 0.05), (150, 0.2)):
        drawn = {model.replace("-", "_"): np.clip(0.8 + noise * rng.normal(size=10), 0, 1) for model in MODELS}
        parts.append(case_of(size, **drawn).sample(frac=1, random_state=1))
    for part, won in zip(parts, winners(pd.concat(parts)).to_dict("records"), strict=True):
        best = won["best"]
        others = [model for model in MODELS if model != best]
        lowest = {model: margin(part, [best], [model])["lower"].iloc[0] for model in others}
        assert won["tied"] == tuple(model for model in others if lowest[model] <= 0)
        assert won["auc"] == part[part["model"] == best]["auc"].median()
        assert len(won["tied"]) > 0
