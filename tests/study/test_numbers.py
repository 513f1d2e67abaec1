"""The three numbers, against scipy and plain loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, t, ttest_1samp

from wfhelpers.core.strategies import MODELS
from wfhelpers.study.intervals import holm, median_interval
from wfhelpers.study.numbers import cases, compare, numbers, runs_to_decide


def margins(tasks: int = 8, runs: int = 7, seed: int = 0) -> pd.DataFrame:
    """Random margins of some tasks, both ways round, at two sizes."""
    rng = np.random.default_rng(seed)
    lines = []
    for task in range(tasks):
        for title, orientation in ((f"a vs {task}", "given"), (f"{task} vs a", "swapped")):
            for case in ("50 per class", "100 per class"):
                where = {"protocol": "tuned", "orientation": orientation, "dataset": "d", "task": title, "case": case}
                lines += [{**where, "run": run, "value": rng.normal(0.5 * (task - 2), 1)} for run in range(runs)]
    return pd.DataFrame(lines)


def test_cases_are_tested_by_t_and_corrected_by_holm() -> None:
    table = margins()
    found = cases(table).set_index(["task", "case"])
    p_values = {}
    for (task, case), group in table.groupby(["task", "case"], sort=False):
        test = ttest_1samp(group["value"], 0)
        row = found.loc[(task, case)]
        assert [row["lower"], row["upper"]] == pytest.approx(list(test.confidence_interval(0.95)))
        assert row["criterion"] == pytest.approx(group["value"].median())
        p_values[task, case] = test.pvalue
    # Holm, step by step: the smallest p against 5 % over all cases, the next over one less, until one fails.
    expected = dict.fromkeys(p_values, 0)
    for left, key in zip(range(len(p_values), 0, -1), sorted(p_values, key=p_values.__getitem__), strict=True):
        if p_values[key] * left >= 0.05:
            break
        expected[key] = int(np.sign(found.loc[key, "mean"]))
    assert found["side"].to_dict() == expected
    assert 0 < sum(map(abs, expected.values())) < len(expected)


def test_exact_margins_are_their_own_interval() -> None:
    table = margins(tasks=2)
    table["value"] = table["task"].map({"a vs 0": 0.0, "0 vs a": 1.0, "a vs 1": -1.0, "1 vs a": 2.0})
    found = cases(table).groupby("task")[["lower", "upper", "side", "tied"]].first()
    assert found.loc["0 vs a"].tolist() == [1.0, 1.0, 1, False]
    assert found.loc["a vs 1"].tolist() == [-1.0, -1.0, -1, False]
    assert found.loc["a vs 0"].tolist() == [0.0, 0.0, 0, True]


def test_the_effect_is_that_of_unordered_tasks_and_of_runs_where_tasks_are_few() -> None:
    table = margins(tasks=8)
    found = numbers(table, cases(table))
    task = table["task"].str.replace(r"(a vs )|( vs a)", "", regex=True)
    means = table.groupby(task)["value"].mean()  # as many rows in every case
    assert found.estimate == pytest.approx(means.median())
    assert (found.lower, found.upper) == pytest.approx((means.min(), means.max()))  # of eight
    few = table[task.astype(int) < 2]
    by_run = few.groupby("run")["value"].mean()
    assert numbers(few, cases(few)).lower == pytest.approx(by_run.min())  # of seven


def test_counts_are_of_medians_or_of_the_criterion_that_comes_along() -> None:
    table = margins(tasks=2)
    medians = table.groupby(["task", "case"])["value"].median()
    found = numbers(table, cases(table))
    assert (found.ahead, found.behind, found.equal) == ((medians > 0).sum(), (medians < 0).sum(), 0)
    given_criterion = numbers(table.assign(criterion=0.0), cases(table.assign(criterion=0.0)))
    assert (given_criterion.ahead, given_criterion.equal) == (0, 8)


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=40))
def test_the_interval_of_a_median_inverts_the_sign_test(values: list[int]) -> None:
    """A median is inside exactly if the sign test against it does not reject it."""
    x = np.array(values, dtype=float)
    median, lower, upper = median_interval(x)
    assert median == np.median(x)
    for candidate in (*(x + 0.5), *(x - 0.5)):  # between the values, where no tie asks for a convention
        p = binomtest(int((x > candidate).sum()), len(x)).pvalue
        assert (lower < candidate < upper) == (p > 0.05)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_step_down(p: list[float]) -> None:
    adjusted = holm(np.array(p))
    for place, value in enumerate(p):
        below = [other for other in p if other <= value]
        steps = [(len(p) - k) * other for k, other in enumerate(sorted(p)) if other <= value and k < len(below)]
        assert adjusted[place] == pytest.approx(min(1, max(steps)))


def test_runs_to_decide_is_what_a_test_of_the_cases_behind_needs() -> None:
    table = margins(tasks=8, runs=10, seed=3)
    found = cases(table)
    behind = found[(found["mean"] < 0) & (found["side"] == 0)]
    open_now = len(found) - int((found["side"] == -1).sum())
    runs = runs_to_decide(found, needed=open_now, runs=10)
    easiest = behind.loc[(behind["mean"] / behind["spread"]).abs().idxmax()]
    # With so many runs, and the same mean and spread, the easiest case would be significant after any correction.
    assert t.sf(np.sqrt(runs) * abs(easiest["mean"]) / easiest["spread"], runs - 1) < 0.025 / len(found)
    assert runs_to_decide(found, needed=1, runs=10) == np.inf


def test_models_are_compared_at_the_level_of_tasks() -> None:
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product(
        [["tuned"], ["given"], ["mnist", "citeseer"], [f"a vs {n}" for n in range(6)], [50], MODELS, range(4)],
        names=["protocol", "orientation", "dataset", "task", "size", "model", "run"],
    )
    rows = pd.DataFrame({"auc": rng.random(len(index))}, index).reset_index()
    found = compare(rows, [("bin", "real-bin")]).set_index("dataset")
    assert set(found["lead"]) == {"bin over real→bin"}
    wide = rows.pivot(index=["dataset", "task", "run"], columns="model", values="auc")
    by_task = (wide["bin"] - wide["real-bin"]).groupby(["dataset", "task"]).mean()
    for dataset in ("mnist", "citeseer"):
        assert found.loc[dataset, "estimate"] == pytest.approx(by_task[dataset].median())
        assert found.loc[dataset, "lower"] == pytest.approx(by_task[dataset].min())
