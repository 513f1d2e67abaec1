from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from wfhelpers.core.data import Dataset
from wfhelpers.core.protocols import CHARITABLE
from wfhelpers.core.strategies import Start, Training, fit
from wfhelpers.core.tasks import Task
from wfhelpers.study import sensitivity
from wfhelpers.study.readings import Reading


def made_up(features: np.ndarray, labels: np.ndarray, *, train: int = 12, test: int = 8) -> Task:
    """Tell 0 from 1 in objects whose features are made up."""
    rows = (features / np.linalg.norm(features, axis=1, keepdims=True)).astype(np.float32)
    return Task(Dataset("made up", rows, labels, (0, 1), ""), 0, 1, train, test)


def groups(number: int = 40) -> np.ndarray:
    return np.repeat([0, 1], number)


@pytest.fixture(scope="module")
def rises() -> Task:
    """The first feature is large where y = 1: a nonnegative weight on it is all that a network needs."""
    rng = np.random.default_rng(0)
    labels = groups()
    return made_up(np.column_stack([labels + 0.2, rng.uniform(0.2, 1, (80, 3))]), labels)


@pytest.fixture(scope="module")
def falls() -> Task:
    """The first feature is large where y = 0 and the rest says nothing: only a negative weight would help."""
    rng = np.random.default_rng(0)
    features = np.concatenate([rng.normal(1, 0.1, (40, 1)), rng.normal(-1, 0.1, (40, 1))])
    return made_up(np.column_stack([features, rng.normal(0, 0.01, (80, 3))]), groups())


def test_orientation_decides_what_nonnegative_weights_cost(falls):
    """Given and swapped, the same objects are two problems: evidence on the one says nothing about the other."""
    given, swapped = (sensitivity.nonnegativity_aucs(task, runs=4) for task in (falls, falls.swapped()))
    assert set(given.index.get_level_values("task")) == {"0 vs 1"}
    assert set(swapped.index.get_level_values("task")) == {"1 vs 0"}
    gain = {name: (aucs["free"] - aucs["nonnegative"]).xs("tuned", level="start") for name, aucs in
            (("given", given), ("swapped", swapped))}  # fmt: skip
    assert gain["given"].min() > 0.3  # nonnegative weights do no better than chance
    assert gain["swapped"].tolist() == [0] * 4  # the feature counts in favour, and both kinds of weights are perfect
    costs = sensitivity.nonnegativity_cost(pd.concat([given, swapped])).set_index(["task", "start"])
    assert costs.loc[("0 vs 1", "tuned"), "free"] == 1
    assert costs.loc[("0 vs 1", "tuned"), "lower"] > 0.4
    assert costs.loc[("1 vs 0", "tuned"), ["free", "nonnegative", "margin"]].tolist() == [1, 1, 0]


def test_both_starts_are_tried_on_the_task_as_it_is_given(rises):
    aucs = sensitivity.nonnegativity_aucs(rises, runs=3)
    assert aucs.index.names == ["dataset", "task", "start", "run"]
    costs = sensitivity.nonnegativity_cost(aucs)
    assert list(zip(costs["task"], costs["start"], strict=True)) == [("0 vs 1", "literal"), ("0 vs 1", "tuned")]
    np.testing.assert_allclose(costs["margin"], costs["free"] - costs["nonnegative"])
    assert (costs["lower"] <= costs["margin"]).all()
    assert (costs["margin"] <= costs["upper"]).all()


def test_test_objects_have_no_say_in_the_trial(rises):
    draw = rises.draw(3, seed=0)
    other = replace(draw, x_test=draw.x_test.flip(1))
    known, found = (sensitivity._best_trial(each, sensitivity.FREE, 0) for each in (draw, other))
    assert known == found


def test_spread_names_the_best_and_the_worst_value():
    index = pd.MultiIndex.from_product([["d"], ["t"], range(3)], names=["dataset", "task", "run"])
    areas = pd.DataFrame({0.1: [0.5, 0.6, 0.7], 1.0: [0.9, 0.9, 0.9], 3.0: [0.8, 0.2, 0.3]}, index=index)
    (row,) = sensitivity.shared_weight_spread(areas).to_dict("records")
    assert (row["best"], row["worst"]) == (1.0, 3.0)
    assert row["spread"] == pytest.approx(0.6)
    assert row["lower"] <= row["spread"] <= row["upper"]


def test_a_network_that_ignores_its_weight_has_no_spread():
    index = pd.MultiIndex.from_product([["d"], ["t"], range(4)], names=["dataset", "task", "run"])
    areas = pd.DataFrame({0.1: [0.5, 0.6, 0.7, 0.1], 1.0: [0.5, 0.6, 0.7, 0.1]}, index=index)
    assert sensitivity.shared_weight_spread(areas)[["spread", "lower", "upper"]].to_numpy().tolist() == [[0, 0, 0]]


def test_shared_weights_share_one_architecture_per_run(rises):
    quick = replace(CHARITABLE, agnostic_architectures=1, agnostic_shared_weights=1)
    areas = sensitivity.shared_weight_aucs(rises, quick, runs=3)
    assert areas.shape == (3, len(sensitivity._SHARED_WEIGHTS))
    draw = rises.draw(3, seed=0)
    architecture = fit("agnostic", draw, quick, 0)["agnostic"].weights
    np.testing.assert_allclose(areas[0.3], sensitivity.auc(0.3 * architecture, draw))
    spread = sensitivity.shared_weight_spread(areas)
    assert spread["spread"].item() == pytest.approx(np.ptp(areas.median()))


def test_sign_of_a_shared_weight_cancels(rises):
    draw = rises.draw(3, seed=0)
    architecture = (torch.from_numpy(np.random.default_rng(0).uniform(size=(3, 2, 4, 4))) < 0.5).float()
    for shared in sensitivity._SHARED_WEIGHTS:
        areas = [sensitivity.auc(sign * shared * architecture, draw) for sign in (1, -1)]
        assert torch.equal(*areas)


def test_settings_may_be_named_by_their_protocol(rises):
    assert sensitivity._settings_of("charitable", rises) == CHARITABLE
    assert sensitivity._settings_of(CHARITABLE, rises) is CHARITABLE


# Effects


def test_a_reading_that_is_ours_has_no_effect_at_all(rises):
    same = Reading(0, "nothing", "ours", "ours again", lambda case: replace(case), ("bin", "real"))
    effects = sensitivity.measure([rises], [same], runs=3)
    assert list(effects["model"]) == ["bin", "real", sensitivity.LEAD]
    assert effects[["effect", "lower", "upper"]].to_numpy().tolist() == [[0, 0, 0]] * 3


def test_effects_are_differences_of_medians_and_of_their_differences(rises):
    swapped = Reading(8, "o", "a", "b", lambda case: replace(case, task=case.task.swapped()), ("bin", "real"))
    effects = sensitivity.measure([rises], [swapped], runs=3).set_index("model")
    medians = {}
    for when, task in (("before", rises), ("after", rises.swapped())):
        draw = task.draw(3, seed=0)
        for model in ("bin", "real"):
            areas = sensitivity.auc(fit(model, draw, CHARITABLE, 0)[model].weights, draw)
            medians[model, when] = effects.loc[model, when]
            assert medians[model, when] == pytest.approx(float(np.median(areas)))
    change = {model: medians[model, "after"] - medians[model, "before"] for model in ("bin", "real")}
    assert effects.loc["bin", "effect"] == pytest.approx(change["bin"])
    assert effects.loc[sensitivity.LEAD, "effect"] == pytest.approx(change["bin"] - change["real"])
    assert effects.loc[sensitivity.LEAD, "after"] == pytest.approx(medians["bin", "after"] - medians["real", "after"])


def test_a_reading_of_one_data_set_is_left_out_for_others(rises):
    only = Reading(6, "pooling", "mean", "max", lambda case: case, ("bin",), "mnist")
    assert sensitivity.measure([rises], [only], runs=3).empty


def effects_of(*rows: tuple[str, str, str, float]) -> pd.DataFrame:
    """A made-up table: choice, task, model, effect; the interval is the effect plus and minus 0.1."""
    made = pd.DataFrame(rows, columns=["choice", "task", "model", "effect"])
    made = made.assign(gap="1", chosen="a", other="b", dataset="d", before=0.5, after=0.5 + made["effect"])
    return made.assign(lower=made["effect"] - 0.1, upper=made["effect"] + 0.1)[list(sensitivity.COLUMNS)]


def test_choices_are_ranked_by_the_size_of_their_largest_effect_on_a_model():
    effects = effects_of(
        ("small", "s", "bin", 0.01),
        ("large", "s", "bin", 0.2),
        ("large", "t", "real", -0.4),
        ("large", "s", sensitivity.LEAD, -0.1),
        ("large", "t", sensitivity.LEAD, 0.05),
        ("small", "s", sensitivity.LEAD, 0.9),  # an effect on the lead has no say in the order
    )
    ranked = sensitivity.ranking(effects).set_index("choice")
    assert list(ranked.index) == ["large", "small"]
    assert ranked.loc["large", ["task", "model", "effect", "lead"]].tolist() == ["t", "real", -0.4, -0.1]
    assert ranked.loc["small", "lead"] == 0.9


def test_effects_by_task_are_written_with_their_intervals():
    effects = effects_of(("x", "s", "bin", 0.25), ("x", "t", "bin", -0.00001), ("y", "t", "bin", -0.3))
    shown = sensitivity.by_task(effects, ["bin"])
    assert shown.loc[("1", "x", "b", "bin")].tolist() == ["+0.25 (+0.15, +0.35)", "+0.00 (-0.10, +0.10)"]
    assert shown.loc[("1", "y", "b", "bin")].tolist() == ["", "-0.30 (-0.40, -0.20)"]


def test_claims_stand_in_the_table_of_effects(rises):
    costs = pd.DataFrame([("d", "t", "tuned", 0.9, 0.7, 0.2, 0.1, 0.3)]).set_axis(
        ["dataset", "task", "start", "free", "nonnegative", "margin", "lower", "upper"], axis=1
    )
    spread = pd.DataFrame([("d", "t", 0.3, 0.2, 0.4, 0.5, 0.8)]).set_axis(
        ["dataset", "task", "spread", "lower", "upper", "lowest", "highest"], axis=1
    )
    one, two = sensitivity.joined(effects_of(), costs, spread).to_dict("records")
    assert (one["gap"], one["before"], one["after"], one["effect"]) == ("C11", 0.7, 0.9, 0.2)
    assert (two["gap"], two["before"], two["after"], two["effect"]) == ("C14", 0.5, 0.8, 0.3)


def test_disagreement_is_the_largest_difference_of_two_tables():
    effects = effects_of(("x", "s", "bin", 0.25), ("y", "t", "bin", -0.3))
    assert sensitivity.disagreement(effects, effects.iloc[::-1]) == 0
    assert sensitivity.disagreement(effects, effects.assign(after=effects["after"] + 0.02)) == pytest.approx(0.02)
    assert sensitivity.disagreement(effects, effects.iloc[:1]) == np.inf
    assert sensitivity.disagreement(effects, effects.assign(task="other")) == np.inf


# The start, and the headline claim


def test_a_start_with_hardly_an_edge_does_not_train_and_a_sparse_one_does(rises):
    grid = sensitivity.start_grid([rises], "bin", [Start(0.1, mean) for mean in (-9.0, -0.05)], runs=3, seed=0)
    by_mean = grid.groupby("mean")
    assert by_mean["trains"].mean().to_dict() == {-9.0: 0, -0.05: 1}
    assert by_mean["auc"].median()[-9.0] == 0.5
    assert by_mean["auc"].median()[-0.05] > 0.9


def test_the_grid_trains_as_the_strategies_do(rises):
    draw = rises.draw(3, seed=0)
    grid = sensitivity.start_grid([rises], "real", [Start(1.0, 0.0)], runs=3, seed=0)
    expected = sensitivity.auc(fit("real", draw, CHARITABLE, 0)["real"].weights, draw)
    np.testing.assert_allclose(grid["auc"], expected)


def areas(**by_start: float) -> pd.DataFrame:
    """AUCs of three runs around a median, for each start."""
    rows = [("d", "t", start, run, middle + run / 100 - 0.01) for start, middle in by_start.items() for run in range(3)]
    return pd.DataFrame(rows, columns=["dataset", "task", "start", "run", "auc"])


def test_the_map_tells_where_the_claim_holds_is_a_tie_and_is_reversed():
    leads = sensitivity._compare_starts(areas(dead=0.5, good=0.9), areas(dead=0.5, good=0.9))
    found = leads.set_index(["bin_start", "real_start"])["outcome"].to_dict()
    assert found == {
        ("dead", "dead"): "tie",
        ("dead", "good"): "real ahead",
        ("good", "dead"): "bin ahead",
        ("good", "good"): "tie",
    }
    np.testing.assert_allclose(leads["lead"], [0, -0.4, 0.4, 0])


def test_the_choice_that_moves_the_lead_farther_decides():
    leads = sensitivity._compare_starts(areas(a=0.6, b=0.7), areas(a=0.5, b=0.95))
    (row,) = sensitivity.deciders(leads).to_dict("records")
    assert row["by_bin"] == pytest.approx(0.1)
    assert row["by_real"] == pytest.approx(0.45)
    assert (row["bin ahead"], row["tie"], row["real ahead"]) == (2, 0, 2)


def test_the_map_has_a_row_for_each_pair_of_starts(rises):
    leads = sensitivity.headline_map([rises], base=replace(CHARITABLE, steps=2), runs=3)
    pairs = leads.set_index(["bin_start", "real_start"]).index
    assert set(pairs) == {(one, two) for one in sensitivity._BIN_STARTS for two in sensitivity._REAL_STARTS}
    assert pairs.is_unique
    draw, start = rises.draw(3, seed=0), sensitivity._REAL_STARTS["N(0, 0.3²)"]
    trained = fit("real", draw, replace(CHARITABLE, steps=2, real=Training(start, 0.1)), 0)["real"].weights
    found = leads.loc[leads["real_start"] == "N(0, 0.3²)", "real"].unique()
    np.testing.assert_allclose(found, [np.median(sensitivity.auc(trained, draw))])
