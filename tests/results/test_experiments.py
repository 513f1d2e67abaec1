"""The file of experiments: what it must hold, and what is said about mistakes."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from wfhelpers.results import experiments
from wfhelpers.results.experiments import ExperimentError

ROOT = Path(__file__).parents[2]
GOOD = """defaults: {runs: 2}
tasks:
  mnist:
    - {negative: 1, positive: 2}
pairs:
  - {dataset: citeseer, size: 100, protocols: [tuned]}
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "experiments.yml"
    path.write_text(text)
    return path


def test_a_good_file_is_read(tmp_path: Path) -> None:
    read = experiments.read(write(tmp_path, GOOD))
    (page,) = read.pages
    assert (page.name, page.title) == ("mnist_1_vs_2", "1 vs 2")
    assert page.parameters == {"dataset": "mnist", "negative": 1, "positive": 2, "runs": 2}
    assert len(page.jobs) == 18
    assert {job.runs for job in page.jobs} == {2}
    assert [(name, len(jobs)) for name, jobs in read.pairs.items()] == [("pairs_citeseer_tuned", 30)]


MISTAKES = [
    ("{runs: 2}", "{rusn: 2}", 1, "unknown key 'rusn' (did you mean 'runs'?)"),
    ("{runs: 2}", "{runs: two}", 1, "the key 'runs' of 'defaults' is 'two'; expected a whole number"),
    ("{runs: 2}", "{sizes: []}", 1, "the key 'sizes'"),
    ("{runs: 2}", "{protocol: best}", 1, "the key 'protocol'"),
    ("{runs: 2}", "{settings: {step: 1}}", 4, "Unknown setting 'step'"),
    ("positive: 2", "positiv: 2", 4, "unknown key 'positiv'"),
    (", positive: 2", "", 4, "the key 'positive' of a task is missing"),
    ("positive: 2", "positive: 1", 4, "in both groups"),
    ("positive: 2", "positive: 12", 4, "Unknown class 12"),
    ("positive: 2", "positive: true", 4, "the key 'positive'"),
    ("positive: 2", "positive: 2, sizes: [900]", 4, "objects"),
    ("  mnist:", "  minst:", 4, "Unknown data set 'minst'"),
    ("    - {negative: 1, positive: 2}", "    negative: 1", 4, "not a list"),
    ("    - {negative: 1, positive: 2}", "    - 1", 4, "not a mapping"),
    ("positive: 2}", "positive: 2}\n    - {negative: 1, positive: 2}", 5, "there twice"),
    ("[tuned]", "[tuend]", 6, "the key 'protocols'"),
    ("size: 100, ", "", 6, "the key 'size' of 'pairs' is missing"),
    ("pairs:", "tasks:", 5, "the key 'tasks' twice"),
    ("defaults: {", "defaults: [", 1, "not YAML"),
]


@pytest.mark.parametrize(("former", "mistake", "line", "words"), MISTAKES)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, former: str, mistake: str, line: int, words: str) -> None:
    assert former in GOOD
    with pytest.raises(ExperimentError) as caught:
        experiments.read(write(tmp_path, GOOD.replace(former, mistake, 1)))
    message = str(caught.value)
    assert f"line {line}: " in message
    assert words in message
    assert message.count("\n") == 0


def test_a_file_that_is_not_there_or_empty_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="cannot be read"):
        experiments.read(tmp_path / "none.yml")
    with pytest.raises(ExperimentError, match="is empty"):
        experiments.read(write(tmp_path, ""))
    with pytest.raises(ExperimentError, match="'tasks' is missing"):
        experiments.read(write(tmp_path, "defaults: {runs: 2}"))


def test_the_project_has_the_papers_tasks() -> None:
    read = experiments.read(ROOT / "experiments.yml")
    for dataset in ("mnist", "citeseer"):
        tasks = [page.jobs[0] for page in read.pages if page.jobs[0].dataset == dataset]
        single = [task for task in tasks if len(task.negative) == len(task.positive) == 1]
        assert len(single) >= 10
        assert len(tasks) - len(single) >= 6
    assert {job.size for page in read.pages for job in page.jobs} == {50, 100, 150}
    assert {job.protocol for page in read.pages for job in page.jobs} == {"literal", "charitable", "tuned"}
    assert {len(page.jobs) for page in read.pages} == {18}
    assert [len(jobs) for jobs in read.pairs.values()] == [90, 90, 30, 30]


def test_every_task_has_its_page_in_the_book() -> None:
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text())["parts"]
    entries = [entry for part in parts for chapter in part["chapters"] for entry in chapter.get("sections", [])]
    patterns = [entry["glob"] for entry in entries if "glob" in entry]
    shown = [path.stem for pattern in patterns for path in ROOT.glob(f"{pattern}.ipynb")]
    assert sorted(shown) == sorted(page.name for page in experiments.read(ROOT / "experiments.yml").pages)


SCHEMA = Draft7Validator(experiments.schema())
NOT_OF_THE_SHAPE = ("in both groups", "Unknown class", "objects", "Unknown data set", "twice", "not YAML")
"""What is said about mistakes for which the data or the lines of the file must be known."""


def test_editors_accept_what_is_accepted() -> None:
    Draft7Validator.check_schema(experiments.schema())
    for text in (GOOD, (ROOT / "experiments.yml").read_text(encoding="utf-8")):
        assert list(SCHEMA.iter_errors(yaml.safe_load(text))) == []


@pytest.mark.parametrize(
    ("former", "mistake"),
    [(former, mistake) for former, mistake, _, words in MISTAKES if not any(map(words.count, NOT_OF_THE_SHAPE))],
)
def test_editors_mark_mistakes(former: str, mistake: str) -> None:
    assert list(SCHEMA.iter_errors(yaml.safe_load(GOOD.replace(former, mistake, 1))))


WORDS = st.sampled_from(["all", "both", "tuned", "given"]) | st.text(max_size=3)
FRACTIONS = st.floats(0, 9).filter(lambda number: not number.is_integer())  # a schema takes 2.0 for a whole number
SIMPLE = WORDS | st.integers(-2, 200) | st.booleans() | st.none() | FRACTIONS
VALUES = SIMPLE | st.lists(SIMPLE, max_size=3) | st.dictionaries(st.text(max_size=3), SIMPLE, max_size=2)


@given(VALUES)
def test_the_reader_and_the_schema_accept_the_same_values(value: Any) -> None:
    for rule in (experiments.TASK | experiments.PAIRS).values():
        assert experiments.fits(value, rule) == Draft7Validator(rule).is_valid(value)
