"""What rows of tasks say about claims, against plain loops and scipy."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from wfhelpers.core.strategies import MODELS
from wfhelpers.study import leads


@pytest.fixture
def rows() -> pd.DataFrame:
    """Random rows of three tasks at two sizes with five runs."""
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product(
        [["literal"], ["given"], ["mnist"], ["1 vs 2", "3 vs 4", "5 vs 6"], [50, 100], MODELS, range(5)],
        names=["protocol", "orientation", "dataset", "task", "size", "model", "run"],
    )
    table = pd.DataFrame(index=index).reset_index().sample(frac=1, random_state=0)
    numbers = {"auc": rng.random(len(table)), "train_loss": rng.normal(size=len(table))}
    return table.assign(**numbers, seconds_total=rng.lognormal(size=len(table)))


def one_case(rows: pd.DataFrame, task: str, size: int, column: str) -> pd.DataFrame:
    return rows[(rows["task"] == task) & (rows["size"] == size)].pivot(index="run", columns="model", values=column)


def test_a_lead_is_that_of_the_best_over_the_best_run_by_run(rows: pd.DataFrame) -> None:
    ours, others = ["bin", "bin-real"], ["real", "lottery", "agnostic"]
    values = leads.lead(ours, others)(rows)
    assert list(values["run"]) == [0, 1, 2, 3, 4] * 6
    for (task, case), group in values.groupby(["task", "case"]):
        aucs = one_case(rows, task, int(case.split()[0]), "auc")
        expected = aucs[aucs[ours].median().idxmax()] - aucs[aucs[others].median().idxmax()]
        np.testing.assert_allclose(group["value"], expected)


def test_the_factor_of_run_time_is_the_larger_one_either_way(rows: pd.DataFrame) -> None:
    for (task, case), group in leads.factor_of_run_time(rows).groupby(["task", "case"]):
        seconds = one_case(rows, task, int(case.split()[0]), "seconds_total")
        factors = [seconds["bin"] / seconds[model] for model in ("real", "lottery")]
        expected = pd.concat([*factors, *(1 / factor for factor in factors)], axis=1).max(axis=1)
        np.testing.assert_allclose(np.exp(group["value"]), expected)


def test_gain_with_difficulty_is_spearmans_correlation(rows: pd.DataFrame) -> None:
    values = leads.gain_with_difficulty(rows)
    wide = rows.pivot(index=["task", "size"], columns=["model", "run"], values="auc")
    expected = [
        spearmanr(-wide["bin"].median(axis=1), wide["bin-real"][run] - wide["bin"][run]).statistic for run in range(5)
    ]
    np.testing.assert_allclose(values["value"], expected)
    same = rows.assign(auc=0.5)
    assert (leads.gain_with_difficulty(same)["value"] == 0).all()


def test_overfitting_counts_only_where_the_objective_falls(rows: pd.DataFrame) -> None:
    fitting_better = set()
    for (task, case), group in leads.loss_by_overfitting(rows).groupby(["task", "case"]):
        aucs, losses = (one_case(rows, task, int(case.split()[0]), column) for column in ("auc", "train_loss"))
        better = losses["bin-real"].median() < losses["bin"].median()
        fitting_better.add(better)
        np.testing.assert_allclose(group["value"], aucs["bin"] - aucs["bin-real"] if better else 0)
    assert fitting_better == {True, False}
