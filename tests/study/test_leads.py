"""What rows of tasks say about claims, against plain loops and scipy."""

import numpy as np
import pandas as pd
import pytest

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
    numbers["train_auc"] = rng.random(len(table))
    return table.assign(**numbers, seconds_total=rng.lognormal(size=len(table)))


def one_case(rows: pd.DataFrame, task: str, size: int, column: str) -> pd.DataFrame:
    return rows[(rows["task"] == task) & (rows["size"] == size)].pivot(index="run", columns="model", values=column)


def test_a_lead_is_that_of_the_best_over_the_best_run_by_run(rows: pd.DataFrame) -> None:
    """The best is chosen on the runs of other parity, and by the paper's criterion on all."""
    ours, others = ["bin", "bin-real"], ["real", "lottery", "agnostic"]
    values = leads.lead(ours, others)(rows)
    assert list(values["run"]) == [0, 1, 2, 3, 4] * 6
    differs = False
    for (task, case), group in values.groupby(["task", "case"]):
        aucs = one_case(rows, task, int(case.split()[0]), "auc")
        for run, value in zip(group["run"], group["value"], strict=True):
            medians = aucs[aucs.index % 2 != run % 2].median()
            expected = aucs.loc[run, medians[ours].idxmax()] - aucs.loc[run, medians[others].idxmax()]
            assert value == pytest.approx(expected)
            differs |= medians[others].idxmax() != aucs.median()[others].idxmax()
        criterion = aucs.median()[ours].max() - aucs.median()[others].max()
        np.testing.assert_allclose(group["criterion"], criterion)
    assert differs


def test_a_single_run_chooses_by_itself(rows: pd.DataFrame) -> None:
    values = leads.lead(["bin"], ["real", "lottery"])(rows[rows["run"] == 0])
    assert (values["value"] == values["criterion"]).all()


def test_the_factor_of_run_time_is_the_larger_one_either_way(rows: pd.DataFrame) -> None:
    for (task, case), group in leads.factor_of_run_time(rows).groupby(["task", "case"]):
        seconds = one_case(rows, task, int(case.split()[0]), "seconds_total")
        factors = [seconds["bin"] / seconds[model] for model in ("real", "lottery")]
        expected = pd.concat([*factors, *(1 / factor for factor in factors)], axis=1).max(axis=1)
        np.testing.assert_allclose(np.exp(group["value"]), expected)


def test_hard_tasks_are_those_on_which_even_the_best_model_is_low(rows: pd.DataFrame) -> None:
    values = leads.gain_on_hard_tasks(rows)
    medians = rows.groupby(["task", "size", "model"])["auc"].median()
    best = medians.groupby(["task", "size"]).max().sort_values()
    hard = {(task, f"{size} per class") for task, size in best.index[:3]}
    assert set(zip(values["task"], values["case"], strict=True)) == hard
    for (task, case), group in values.groupby(["task", "case"]):
        aucs = one_case(rows, task, int(case.split()[0]), "auc")
        np.testing.assert_allclose(group["value"], aucs["bin-real"] - aucs["bin"])


def test_overfitting_is_a_fall_from_training_to_test_objects(rows: pd.DataFrame) -> None:
    for (task, case), group in leads.less_overfitting(rows).groupby(["task", "case"]):
        test, train = (one_case(rows, task, int(case.split()[0]), column) for column in ("auc", "train_auc"))
        falls = {model: train[model] - test[model] for model in ("real", "bin")}
        np.testing.assert_allclose(group["value"], falls["real"] - falls["bin"])


def test_overfitting_counts_only_where_the_objective_falls(rows: pd.DataFrame) -> None:
    fitting_better = set()
    for (task, case), group in leads.loss_by_overfitting(rows).groupby(["task", "case"]):
        aucs, losses = (one_case(rows, task, int(case.split()[0]), column) for column in ("auc", "train_loss"))
        better = losses["bin-real"].median() < losses["bin"].median()
        fitting_better.add(better)
        np.testing.assert_allclose(group["value"], aucs["bin"] - aucs["bin-real"] if better else 0)
    assert fitting_better == {True, False}
