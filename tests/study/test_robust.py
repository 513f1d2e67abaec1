"""Other methods of analysis, against exact distributions, brute force and published examples."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from wfhelpers._support import InputError
from wfhelpers.study import robust


def values_of(means, *, noise: float = 0.0, cases: int = 3, runs: int = 4, seed: int = 0) -> pd.DataFrame:
    """Values of some tasks in both orientations; noise differs between cases, orientations and runs of a task."""
    rng = np.random.default_rng(seed)
    lines = []
    for task, mean in enumerate(means):
        title = (f"{task} vs x", f"x vs {task}")
        by_case, by_orientation = rng.normal(0, noise, cases), rng.normal(0, noise, 2)
        by_run = rng.normal(0, noise, runs)
        for case, orientation, run in product(range(cases), range(2), range(runs)):
            value = mean + by_case[case] + by_orientation[orientation] + by_run[run] + rng.normal(0, noise)
            where = {"protocol": "tuned", "orientation": ("given", "swapped")[orientation], "dataset": "mnist"}
            lines.append({**where, "task": title[orientation], "case": f"{case} per class", "run": run, "value": value})
    return pd.DataFrame(lines)


def mirrored(values: pd.DataFrame) -> pd.DataFrame:
    return values.assign(value=-values["value"])


def opposed(values: pd.DataFrame) -> pd.DataFrame:
    """What one orientation gains the other loses: the orientations of a task differ more than tasks do."""
    return values.assign(value=values["value"] + np.where(values["orientation"] == "given", 0.05, -0.05))


SPREAD = np.linspace(-1, 1, 12)
KNOWN = {
    "ahead": 0.1 + 0.02 * SPREAD,
    "behind": -0.1 + 0.02 * SPREAD,
    "equivalent": 0.001 * SPREAD,
    "undecided": 0.02 + 0.1 * SPREAD**3,
}
"""Means of tasks for which every method gives the same word."""


def test_a_task_is_the_same_either_way_round() -> None:
    assert robust.unordered("{1,2} vs 3") == robust.unordered("3 vs {1,2}")
    assert robust.unordered("1 vs 2") != robust.unordered("1 vs 3")


def test_the_mean_of_a_task_weighs_its_cases_alike_and_knows_its_data_set() -> None:
    values = values_of([0.1, 0.4])
    np.testing.assert_allclose(robust.task_means(values), [0.1, 0.4])
    fewer_runs = values[(values["case"] != "0 per class") | (values["run"] == 0)]
    shifted = fewer_runs.assign(value=fewer_runs["value"] + (fewer_runs["case"] == "0 per class") * 0.3)
    np.testing.assert_allclose(robust.task_means(shifted), [0.2, 0.5])
    other = pd.concat([values, values.assign(dataset="citeseer")])
    assert len(robust.task_means(other)) == 4


@pytest.mark.parametrize("word", KNOWN)
@pytest.mark.parametrize("method", ["interval", "wilcoxon", "bayesian", "mixed"])
def test_words_are_known_mirrored_by_swapped_sides_and_unchanged_by_duplicates(word: str, method: str) -> None:
    judge, values = getattr(robust, method), values_of(KNOWN[word], noise=1e-4)
    assert judge(values).word == word
    swapped = {"ahead": "behind", "behind": "ahead"}.get(word, word)
    assert judge(mirrored(values)).word == swapped
    assert judge(pd.concat([values, values]))[:2] == (word, pytest.approx(judge(values)[1], abs=1e-6))


def test_the_interval_is_that_of_scipy() -> None:
    found = robust.interval(values_of(KNOWN["undecided"]))
    expected = stats.ttest_1samp(KNOWN["undecided"], 0).confidence_interval(0.95)
    np.testing.assert_allclose([found.lower, found.upper], expected, atol=1e-8)


def test_the_signed_rank_test_counts_all_signs() -> None:
    means = np.array([0.03, -0.01, 0.05, 0.02, 0.08, -0.04, 0.07, 0.06])
    ranks = stats.rankdata(np.abs(means))
    statistic = ranks @ np.sign(means)
    by_chance = [abs(ranks @ signs) >= abs(statistic) for signs in product([-1, 1], repeat=len(means))]
    assert robust.wilcoxon(values_of(means)).p == pytest.approx(np.mean(by_chance))


def test_nothing_that_trains_is_equivalent_and_not_a_crash() -> None:
    for method in (robust.interval, robust.wilcoxon, robust.bayesian, robust.mixed):
        assert method(values_of(np.zeros(8))).word == "equivalent"
        assert method(values_of(np.zeros(8)), 0.0).word in ("undecided", "equivalent")
    assert robust.wilcoxon(values_of(np.zeros(8))).p == 1
    assert robust.mixed(values_of(np.zeros(8))).note == "one value per task: a t interval"
    with pytest.raises(InputError, match="no values"):
        robust.interval(values_of([]).reindex(columns=["dataset", "task", "value"]))


@pytest.mark.parametrize("tasks", [6, 20])
def test_the_posterior_of_equal_tasks_is_a_beta_distribution(tasks: int) -> None:
    """All pairs but that of the pseudo-task with itself lie above: *within* wins if its weight squared is over 1/2."""
    found = robust.bayesian(values_of(np.full(tasks, 0.1)))
    within = stats.beta.sf(np.sqrt(0.5), 0.5, tasks)
    assert found.within == pytest.approx(within, abs=4 * np.sqrt(within / robust._SAMPLES) + 1e-4)
    assert found.below == 0


def test_the_posterior_against_the_definition_in_plain_loops() -> None:
    """Weights by gamma variates, pairs one after another, as the published code in R has it."""
    means, rope, samples = np.array([0.031, 0.0122, -0.02, 0.0043, 0.0162, -0.001, 0.0254]), 0.01, 4000
    rng, wins = np.random.default_rng(1), np.zeros(3)
    places = [0.0, *means]
    for _ in range(samples):
        weights = [rng.gamma(0.5), *rng.gamma(1.0, size=len(means))]
        shares = [0.0, 0.0, 0.0]
        for i, j in product(range(len(places)), repeat=2):
            middle = (places[i] + places[j]) / 2
            shares[0 if middle < -rope else 2 if middle > rope else 1] += weights[i] * weights[j]
        wins[shares.index(max(shares))] += 1 / samples
    found = robust.bayesian(values_of(means), rope)
    assert 0.1 < found.within < 0.9, "one side only: nothing was compared"
    np.testing.assert_allclose(found[1:], wins, atol=4 * 0.5 / np.sqrt(samples))
    assert robust.bayesian(values_of(means), rope) == found, "the same seed gives the same numbers"


@pytest.mark.parametrize(
    ("middle", "expected"),
    [(0.0, (0.01422, 0.98566, 0.00012)), (0.008, (0.0, 0.07854, 0.92146)), (-0.01, (0.67896, 0.32104, 0.0))],
)
def test_the_posterior_is_that_of_baycomp(middle: float, expected: tuple[float, float, float]) -> None:
    """Expected: ``SignedRankTest.probs(zeros, means, rope=0.01, random_state=1)`` of baycomp 1.0.3."""
    rng = np.random.default_rng(0)
    means = {mean: np.round(rng.normal(mean, 0.02, 32), 9) for mean in (0.0, 0.008, 0.012, -0.01)}[middle]
    np.testing.assert_allclose(robust.bayesian(values_of(means))[1:], expected, atol=0.01)


def restricted_likelihood(values: pd.DataFrame, effects: list[list[str]]) -> tuple[float, float]:
    """Mean and standard error of a mixed model by brute force: the full covariance, and its restricted likelihood."""
    task = values["task"].map(robust.unordered)
    keys = [values.assign(task=task)[["task", *effect]].astype(str).agg("|".join, axis=1) for effect in effects]
    same = [np.equal.outer(key.to_numpy(), key.to_numpy()).astype(float) for key in keys]
    y, one = values["value"].to_numpy() / values["value"].std(), np.ones(len(values))

    def solved(logs):
        covariance = sum(np.exp(log) * each for log, each in zip(logs, [*same, np.eye(len(y))], strict=True))
        inverse = np.linalg.inv(covariance)
        precision = one @ inverse @ one
        mean = one @ inverse @ y / precision
        rest = (y - mean) @ inverse @ (y - mean)
        return np.linalg.slogdet(covariance)[1] + np.log(precision) + rest, mean, precision**-0.5

    start = np.full(len(effects) + 1, np.log(0.2))
    options = {"maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-5, "fatol": 1e-9}
    best = optimize.minimize(lambda logs: solved(logs)[0], start, method="Nelder-Mead", options=options)
    _, mean, error = solved(best.x)
    return mean * values["value"].std(), error * values["value"].std()


@pytest.mark.parametrize("tasks_differ", [True, False], ids=["tasks differ", "variance of tasks is zero"])
def test_the_mixed_model_against_brute_force(tasks_differ: bool) -> None:
    """Also where the variance of tasks is zero: there the interval is wider than that of task means."""
    values = values_of(0.05 * SPREAD[:6] if tasks_differ else np.zeros(6), noise=0.01, cases=2, runs=1, seed=4)
    values = values if tasks_differ else opposed(values)
    mean, error = restricted_likelihood(values, [[], ["case"], ["orientation"]])
    found, plain = robust.mixed(values), robust.interval(values)
    reach = stats.t.ppf(0.975, 5) * error
    np.testing.assert_allclose(
        [found.estimate, found.lower, found.upper], [mean, mean - reach, mean + reach], rtol=1e-3
    )
    assert (found.upper - found.lower > 1.1 * (plain.upper - plain.lower)) == (not tasks_differ)


def test_averaging_runs_leaves_the_mixed_model_as_it_is() -> None:
    values = values_of(0.05 * SPREAD[:5], noise=0.01, cases=2, runs=3, seed=1)
    mean, error = restricted_likelihood(values, [[], ["case"], ["orientation"], ["run"]])
    found = robust.mixed(values)
    reach = stats.t.ppf(0.975, 4) * error
    np.testing.assert_allclose(
        [found.estimate, found.lower, found.upper], [mean, mean - reach, mean + reach], rtol=1e-3
    )


def test_the_mixed_model_says_in_words_what_it_could_not_do(monkeypatch: pytest.MonkeyPatch) -> None:
    values = values_of(KNOWN["ahead"], noise=0.01)
    one = values[(values["case"] == "0 per class") & (values["orientation"] == "given")]
    assert robust.mixed(one).note == "one value per task: a t interval"
    assert robust.mixed(one)[:4] == robust.interval(one)[:4]
    one_case = robust.mixed(values[values["case"] == "0 per class"])
    assert one_case.word == "ahead"
    assert not one_case.note
    values = opposed(values_of(KNOWN["ahead"], noise=0.01))
    assert robust.mixed(values).word == "ahead"
    monkeypatch.setattr(robust, "_ITERATIONS", 1)
    assert robust.mixed(values).word == "did not converge"
    (line,) = robust.table({"C1": values}).itertuples()
    assert (line.mixed, line.interval, line.why) == ("did not converge", "ahead", "the mixed model did not converge")


def test_too_few_tasks_are_said_so() -> None:
    words = robust.table({"C1": values_of([0.1, 0.2])}).iloc[0]
    assert set(words[list(robust.METHODS)]) == {"too few tasks"}
    words = robust.table({"C1": values_of([0.1, 0.11, 0.12, 0.11])}).iloc[0]
    assert words[list(robust.METHODS)].tolist() == ["ahead", "too few tasks", "too few tasks", "ahead"]
    assert not words["why"]


def test_a_table_shows_where_methods_disagree_and_why() -> None:
    small = values_of(0.012 + 0.008 * SPREAD)  # clearly above zero, not clearly above the region
    outlier = values_of([*(0.02 + 0.001 * SPREAD), -0.9])  # most tasks are ahead, their mean is not
    found = robust.table({"C1": values_of(KNOWN["ahead"]), "C2": small, "C3": outlier, "C4": small}, {"C4": 0.0})
    words = found.set_index("part")[list(robust.METHODS)]
    assert set(words.loc["C1"]) == {"ahead"}
    assert words.loc["C2"].tolist() == ["ahead", "ahead", "undecided", "ahead"]
    assert words.loc["C3", ["interval", "wilcoxon"]].tolist() == ["undecided", "ahead"]
    assert set(words.loc["C4"]) == {"ahead"}, "without a region the Bayesian test asks for more than zero, too"
    why = found.set_index("part")["why"]
    assert not why["C1"]
    assert "beyond the region" in why["C2"]
    assert "ranks see how many tasks" in why["C3"]
    numbers = found.set_index("part").loc["C1", ["mean", "below", "within", "above"]].tolist()
    np.testing.assert_allclose(numbers, [0.1, 0, 0, 1], atol=1e-3)


# Table 6 of Demšar, Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7 (2006): AUC of C4.5 with
# and without a minimal leaf size (m) and a tuned confidence (cf). On "voting" the ranks 2 and 3 are those of the
# article, which rounds the two numbers to the same.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.9749],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def demsar_rows() -> pd.DataFrame:
    """The article's example as rows of tasks: every AUC is the mean of two runs, two sizes and both orientations."""
    offsets = {("given", 50, 0): 1e-3, ("given", 100, 0): -3e-3, ("swapped", 50, 1): 4e-3, ("swapped", 100, 1): -2e-3}
    return pd.DataFrame(
        {"dataset": "uci", "task": f"{n} vs x" if way == "given" else f"x vs {n}", "orientation": way, "size": size}
        | {"run": run, "model": model, "auc": auc + offset}
        for n, aucs in enumerate(DEMSAR)
        for model, auc in zip(("C4.5", "+m", "+cf", "+m+cf"), aucs, strict=True)
        for (way, size, run), offset in offsets.items()
    )


def test_average_ranks_and_friedman_of_demsars_example() -> None:
    rows = demsar_rows().sample(frac=1, random_state=0)
    ranks = robust.average_ranks(rows)
    assert ranks.round(3).to_dict() == {"+m+cf": 1.964, "+m": 2.0, "+cf": 2.893, "C4.5": 3.143}
    assert len(robust.block_ranks(rows)) == 14
    statistic, p = robust.friedman(rows)
    ties = 3 * (2**3 - 2) + (4**3 - 4)  # the article does not correct for them: three pairs, and four of a kind
    assert statistic * (1 - ties / (14 * 4 * (4**2 - 1))) == pytest.approx(9.28, abs=0.005)
    assert p == pytest.approx(stats.chi2.sf(statistic, 3))


def test_critical_differences_of_demsars_example() -> None:
    assert robust.nemenyi(4, 14) == pytest.approx(1.25, abs=0.005)
    assert robust.nemenyi(4, 14, 0.10) == pytest.approx(1.12, abs=0.005)
    assert robust.nemenyi(10, 30) == pytest.approx(3.164 * np.sqrt(110 / 180), abs=0.002)


def test_models_that_do_not_differ_are_joined() -> None:
    ranks = pd.Series({"a": 1.0, "b": 1.5, "c": 2.4, "d": 4.0, "e": 4.2, "f": 6.0})
    assert robust.not_apart(ranks.sample(frac=1, random_state=1), 1.0) == [("a", "b"), ("b", "c"), ("d", "e")]
    assert robust.not_apart(ranks, 0.1) == []
    assert robust.not_apart(ranks, 9.0) == [("a", "f")]
    names = list(ranks.index)
    for critical in (0.5, 1.0, 1.7, 2.5):
        joined = {frozenset(names[names.index(a) : names.index(b) + 1]) for a, b in robust.not_apart(ranks, critical)}
        for a, b in product(names, repeat=2):
            together = any({a, b} <= group for group in joined)
            assert a == b or together == (abs(ranks[a] - ranks[b]) < critical)
