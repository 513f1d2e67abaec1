import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from wfhelpers.core import data
from wfhelpers.core.data import DataError
from wfhelpers.core.tasks import Draw, Task

QUICK = settings(max_examples=20, deadline=None)
PARTS = ("x_train", "y_train", "x_test", "y_test")


def labelled_rows(labels):
    """Data set whose first feature tells the row, so that a drawn object can be found again."""
    angle = np.linspace(0.1, 1.5, len(labels))
    features = np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)
    return data.Dataset("made", features, np.array(labels), tuple(np.unique(labels).tolist()), "")


def rows_of(dataset, x):
    return np.searchsorted(-dataset.features[:, 0], -x[..., 0].numpy())


def same(one, other):
    return all(torch.equal(getattr(one, part), getattr(other, part)) for part in PARTS)


DIGITS = labelled_rows([0, 1, 2, 3] * 30)


def test_shapes_types_and_balance():
    draw = Task("mnist", [1, 2, 3], [4, 5, 6], 20, 5).draw(runs=3, seed=0)
    assert draw.x_train.shape == (3, 120, 64)
    assert draw.x_test.shape == (3, 30, 64)
    assert {getattr(draw, part).dtype for part in PARTS} == {torch.float32}
    assert draw.y_train.sum(dim=1).tolist() == [60, 60, 60]
    assert draw.y_test.sum(dim=1).tolist() == [15, 15, 15]
    assert (draw.runs, draw.width, list(draw.run_ids)) == (3, 64, [0, 1, 2])


@QUICK
@given(
    groups=st.permutations([0, 1, 2, 3]),
    sizes=st.tuples(st.integers(1, 20), st.integers(1, 10)),
    seed=st.integers(0, 99),
)
def test_every_class_gives_its_share_and_train_and_test_are_disjoint(groups, sizes, seed):
    negative, positive = groups[:1], groups[1:3]
    draw = Task(DIGITS, negative, positive, *sizes).draw(2, seed)
    for run in range(2):
        train, test = rows_of(DIGITS, draw.x_train[run]), rows_of(DIGITS, draw.x_test[run])
        assert not set(train) & set(test)
        for rows, y, size in ((train, draw.y_train[run], sizes[0]), (test, draw.y_test[run], sizes[1])):
            assert len(set(rows)) == len(rows)
            assert all(np.sum(DIGITS.labels[rows] == chosen) == size for chosen in negative + positive)
            assert np.array_equal(np.isin(DIGITS.labels[rows], positive), y.numpy() == 1)


def test_a_run_does_not_depend_on_how_many_are_drawn():
    task = Task(DIGITS, 0, 1, 10, 5)
    assert same(task.draw(2, seed=3), task.draw(7, seed=3)[:2])


def test_seeds_and_runs_give_different_objects():
    task = Task(DIGITS, 0, 1, 10, 5)
    draw = task.draw(2, seed=3)
    assert same(draw, task.draw(2, seed=3))
    assert not torch.equal(draw.x_train[0], draw.x_train[1])
    assert not torch.equal(draw.x_train[0], task.draw(1, seed=4).x_train[0])
    assert not torch.equal(draw.x_train[1], task.draw(1, seed=4).x_train[0])


def test_objects_stand_in_random_order():
    draw = Task(DIGITS, 0, 1, 10, 10).draw(20, seed=0)
    for labels in (draw.y_train, draw.y_test):
        first_half = labels[:, :10].sum(dim=1)
        assert 3 < first_half.mean() < 7
        assert first_half.std() > 0


def test_training_size_leaves_the_test_objects_and_sets_are_nested():
    small, large = (Task(DIGITS, 0, 1, size, 5).draw(2, seed=1) for size in (5, 20))
    for run in range(2):
        chosen = [set(rows_of(DIGITS, x)) for x in (small.x_test[run], large.x_test[run])]
        assert chosen[0] == chosen[1]
        assert set(rows_of(DIGITS, small.x_train[run])) < set(rows_of(DIGITS, large.x_train[run]))


def test_swapped_groups_exchange_the_labels_of_the_same_objects():
    one, other = Task(DIGITS, [0, 3], 1, 5, 5).draw(2, seed=1), Task(DIGITS, 1, [3, 0], 5, 5).draw(2, seed=1)
    assert torch.equal(one.x_train, other.x_train)
    assert torch.equal(one.x_test, other.x_test)
    assert torch.equal(one.y_train, 1 - other.y_train)


def test_selected_runs_are_views_that_know_their_numbers():
    draw = Task(DIGITS, 0, 1, 4, 2).draw(6, seed=0)
    some = draw[2:5]
    assert isinstance(some, Draw)
    assert list(some.run_ids) == [2, 3, 4]
    assert list(some[-1].run_ids) == [4]
    assert some[-1].x_train.shape == (1, 8, 2)
    assert torch.equal(some[-1].x_test[0], draw.x_test[4])
    assert some.x_train.data_ptr() == draw.x_train[2].data_ptr()
    with pytest.raises(IndexError):
        draw[6]


@QUICK
@given(per_class=st.integers(2, 20), fraction=st.sampled_from([0.2, 0.25, 1 / 3, 0.5]), seed=st.integers(0, 9))
def test_a_split_holds_out_training_objects_only(per_class, fraction, seed):
    task = Task(DIGITS, [0], [1, 2], per_class, 3)
    draw = task.draw(3, seed)
    if round(fraction * per_class) == 0:
        with pytest.raises(DataError, match="fraction"):
            draw.split(fraction)
        return
    split = draw.split(fraction)
    assert list(split.run_ids) == [0, 1, 2]
    for run in range(3):
        kept, held, whole = (rows_of(DIGITS, x[run]) for x in (split.x_train, split.x_test, draw.x_train))
        assert sorted([*kept, *held]) == sorted(whole)
        assert list(kept) == [row for row in whole if row in set(kept)]
        assert torch.equal(split.y_train[run], torch.tensor(np.isin(DIGITS.labels[kept], [1, 2])).float())
        assert torch.equal(split.y_test[run], torch.tensor(np.isin(DIGITS.labels[held], [1, 2])).float())
        for label, classes in ((0, 1), (1, 2)):
            assert (split.y_test[run] == label).sum() == round(fraction * per_class * classes)


def test_conversion_keeps_values_and_runs():
    draw = Task(DIGITS, 0, 1, 4, 2).draw(3, seed=0)[1:]
    double = draw.to(torch.float64)
    assert {getattr(double, part).dtype for part in PARTS} == {torch.float64}
    assert same(double.to(torch.float32), draw)
    assert list(double.run_ids) == [1, 2]


def test_titles():
    assert Task("mnist", 1, 2, 5, 5).title == "1 vs 2"
    assert Task("mnist", [1, 2, 3], (4, 5, 6), 5, 5).title == "{1,2,3} vs {4,5,6}"
    assert Task("citeseer", "DB", ["IR"], 5, 5).title == "DB vs IR"


@pytest.mark.parametrize("written", [["1", "2"], [1, 2], [1.0, 2.0], np.array([1, 2]), ("1", 2)])
def test_classes_may_be_written_as_text_or_numbers(written):
    assert Task(DIGITS, written, "3", 5, 5).negative == (1, 2)


def test_numbers_match_classes_that_are_text():
    texts = labelled_rows(["1", "2", "x"] * 4)
    assert Task(texts, 1, ["2", "x"], 2, 2).negative == ("1",)


FAULTS = {
    "empty": ([], [1], 5, 5),
    "both groups": ([0, 1], ["1"], 5, 5),
    "0, 1, 2, 3": ([7], [1], 5, 5),
    "twice": ([0, 0], [1], 5, 5),
    "train_per_class is 0": (0, 1, 0, 5),
    "test_per_class is -1": (0, 1, 5, -1),
    "train_per_class is 2.5": (0, 1, 2.5, 5),
    "train_per_class is 'many'": (0, 1, "many", 5),
    "has 30 objects": (0, 1, 26, 5),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_impossible_tasks_are_refused_at_once(fault):
    with pytest.raises(DataError, match=fault):
        Task(DIGITS, *FAULTS[fault])


def test_all_objects_of_a_class_can_be_used():
    assert Task(DIGITS, 0, 1, 25, 5).draw(1, seed=0).x_train.shape == (1, 50, 2)


@pytest.mark.parametrize(("runs", "seed", "message"), [(0, 0, "runs is 0"), (1, -1, "seed is -1"), (1, 0.5, "seed")])
def test_impossible_draws_are_refused(runs, seed, message):
    with pytest.raises(DataError, match=message):
        Task(DIGITS, 0, 1, 5, 5).draw(runs, seed)


def test_an_unknown_data_set_is_refused():
    with pytest.raises(DataError, match="'mnist', 'citeseer'"):
        Task("minst", 0, 1, 5, 5)


@pytest.mark.parametrize("fraction", [0, 1, -0.5, 1.5])
def test_impossible_fractions_are_refused(fraction):
    with pytest.raises(DataError, match="fraction"):
        Task(DIGITS, 0, 1, 10, 5).draw(1, seed=0).split(fraction)


def test_a_swapped_task_has_the_same_objects_and_the_other_labels():
    task = Task("mnist", [1, 3], 2, 20, 10)
    there, back = task.draw(2, seed=5), task.swapped().draw(2, seed=5)
    assert task.swapped().title == "2 vs {1,3}"
    assert torch.equal(there.x_train, back.x_train)
    assert torch.equal(there.y_test, 1 - back.y_test)
