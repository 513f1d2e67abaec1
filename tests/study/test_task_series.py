"""Which tasks are taken where some or none are named."""

import numpy as np
import pytest

from wfhelpers._support import InputError
from wfhelpers.core import data
from wfhelpers.study.task_series import task_grid, task_series, tasks_of_figure_5


def labelled_rows(labels):
    angle = np.linspace(0.1, 1.5, len(labels))
    features = np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)
    return data.Dataset("made", features, np.array(labels), tuple(np.unique(labels).tolist()), "")


DIGITS = labelled_rows([0, 1, 2, 3] * 30)


def test_a_series_asks_one_question_at_several_sizes():
    first, second = task_series("mnist", [4], [9], [20, 60], 10)
    assert (first.title, second.title) == ("4 vs 9", "4 vs 9")
    assert (first.train_per_class, second.train_per_class) == (20, 60)
    assert {first.test_per_class, second.test_per_class} == {10}
    assert [task.train_per_class for task in task_series("mnist", 4, 9, 70)] == [70]


@pytest.mark.parametrize(
    ("dataset", "title", "train", "test"),
    [
        ("mnist", "1 vs 2", [50, 100, 150], 50),
        ("citeseer", "DB vs IR", [50, 100, 150], 50),
        (labelled_rows(["x", "y", "z"] * 40), "x vs y", [10, 20, 30], 10),
        (labelled_rows([7, 8] * 4 + [8] * 30), "7 vs 8", [1, 2, 3], 1),
    ],
)
def test_a_series_fills_in_what_is_not_named(dataset, title, train, test):
    made = task_series(dataset)
    assert {task.title for task in made} == {title}
    assert [task.train_per_class for task in made] == train
    assert {task.test_per_class for task in made} == {test}


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"positive": None}, "Only one of the groups"),
        ({"positive": 1}, "in both groups"),
        ({"train_per_class": []}, "train_per_class is"),
        ({"train_per_class": [20, 20]}, "train_per_class is"),
        ({"train_per_class": [20, "many"]}, "train_per_class is 'many'"),
        ({"train_per_class": [20, 21]}, "Class 1 of made has 30 objects"),
        ({"test_per_class": 0}, "test_per_class is 0"),
        ({"test_per_class": "ten"}, "test_per_class is 'ten'"),
        ({"test_per_class": 30}, "Class 1 of made has 30 objects"),
    ],
)
def test_a_series_refuses_what_is_not_a_task(given, what):
    with pytest.raises(InputError, match=what):
        task_series(DIGITS, **({"negative": 1, "positive": 2, "test_per_class": 10} | given))


def test_a_grid_asks_one_question_of_each_kind_unless_one_is_named():
    titles = [[task.title for task in series] for series in task_grid(train_per_class=[5, 10], test_per_class=5)]
    assert titles == [[title] * 2 for title in ("1 vs 2", "{1,2,3} vs {4,5,6}", "DB vs IR", "{Agents,AI} vs {DB,IR}")]
    assert [[task.title for task in series] for series in task_grid(None, [4], [9], 20)] == [["4 vs 9"]]
    assert [task.title for (task,) in task_grid("citeseer", train_per_class=20)] == ["DB vs IR"]


def test_figure_5_is_of_citeseer_in_its_caption_and_of_mnist_in_the_text() -> None:
    tasks = tasks_of_figure_5(None, None, None, 150, 50)
    assert list(tasks) == ["citeseer, DB vs IR", "mnist, 1 vs 2"]
    assert {task.train_per_class for task in tasks.values()} == {150}


def test_a_named_task_stands_alone() -> None:
    tasks = tasks_of_figure_5("mnist", [1, 2], 7, 20, 10)
    assert list(tasks) == ["mnist, {1,2} vs 7"]
    assert list(tasks_of_figure_5("citeseer", None, None, 20, 10)) == ["citeseer, DB vs IR"]


def test_groups_without_a_data_set_are_refused() -> None:
    with pytest.raises(InputError, match="no data set"):
        tasks_of_figure_5(None, 1, 2, 20, 10)
