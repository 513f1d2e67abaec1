"""Jobs: what their names depend on, and that their rows are those of the engine."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wfhelpers._support import InputError, canonical_code
from wfhelpers.core import evaluation, jobs, strategies
from wfhelpers.core.jobs import Job
from wfhelpers.core.protocols import CHARITABLE, LITERAL
from wfhelpers.core.spectra import laplacian_spectrum
from wfhelpers.core.tasks import Task
from wfhelpers.results.plan import pair_jobs, task_jobs

FAST = {"steps": 3, "agnostic_architectures": 1, "agnostic_shared_weights": 1, "lottery_rounds": 2}


@pytest.fixture
def toy(tmp_path: Path) -> str:
    rng = np.random.default_rng(0)
    path = tmp_path / "toy.npz"
    np.savez(path, X=rng.normal(size=(36, 6)), y=np.repeat(["a", "b", "c"], 12))
    return str(path)


def page(dataset: str, **choices: object) -> list[Job]:
    defaults = {"sizes": [3, 5], "test_per_class": 4, "runs": 2, "settings": FAST}
    return task_jobs(dataset, "a", ["b", "c"], **{**defaults, **choices})  # type: ignore[arg-type]


def test_a_page_has_every_protocol_orientation_and_size(toy: str) -> None:
    made = page(toy)
    assert len(made) == 3 * 2 * 2
    assert {(job.negative, job.positive) for job in made} == {(("a",), ("b", "c")), (("b", "c"), ("a",))}
    assert {job.size for job in made if job.spectra} == {5}
    assert len({job.name for job in made}) == len(made)


def test_rows_are_those_of_the_engine(toy: str) -> None:
    job = page(toy, protocol="charitable", orientation="given")[1]
    made = jobs.compute(job)
    settings = replace(CHARITABLE, **FAST)  # type: ignore[arg-type]
    expected = evaluation.table(Task(toy, "a", ["b", "c"], 5, 4), settings, runs=2, seed=0)
    columns = ["task", "size", "model", "run", "auc", "train_loss", "density_1", "density_2"]
    pd.testing.assert_frame_equal(made.rows[columns], expected[columns].round(5), check_dtype=False)
    assert (made.rows["job"] == job.name).all()
    assert tuple(made.rows.columns) == jobs.COLUMNS


def test_spectra_are_quartiles_over_runs(toy: str) -> None:
    job = page(toy, protocol="literal", orientation="given")[1]
    made = jobs.compute(job).spectra
    draw = job.task.draw(2, 0)
    settings = replace(LITERAL, **FAST)  # type: ignore[arg-type]
    spectra = laplacian_spectrum(strategies.fit("bin", draw, settings, 0)["bin"].weights).numpy()
    place = strategies.MODELS.index("bin")
    expected = np.quantile(spectra, [0.25, 0.5, 0.75], axis=0)
    np.testing.assert_allclose(made["bands"][place] * jobs.EIGENVALUE_STEP, expected, atol=1e-4)
    assert made["points"].shape == (10, 2, 2)


def test_found_networks_are_kept_a_bit_per_weight(toy: str) -> None:
    job = page(toy, protocol="charitable", orientation="given")[0]
    made = jobs.compute(job)
    draw = job.task.draw(2, 0)
    expected = strategies.fit("bin", draw, replace(CHARITABLE, **FAST), 0)["bin"].weights  # type: ignore[arg-type]
    assert made.networks is not None
    assert made.networks.shape == (2, 2 * 6 * 6 // 8)
    assert jobs.unpacked(made.networks, 6).equal(expected)
    again = evaluation.auc(jobs.unpacked(made.networks, 6), draw).numpy().round(5)
    np.testing.assert_array_equal(made.rows[made.rows["model"] == "bin"]["auc"], again)
    assert jobs.compute(page(toy, protocol="literal")[0]).networks is None


def test_updates_that_a_job_names_are_those_of_every_training() -> None:
    job = task_jobs("mnist", 1, 2, sizes=[5], protocol="tuned", orientation="given", settings={"steps": 3})[0]
    settings = job.adapted(jobs.protocol_settings("tuned", job.task))
    assert settings.steps == 3
    assert {getattr(settings, name).steps for name in ("real", "real_bin", "bin", "bin_real")} == {None}
    assert settings.bin.start == jobs.protocol_settings("tuned", job.task).bin.start


def test_a_pair_has_two_strategies(toy: str) -> None:
    made = pair_jobs(toy, "literal", 3, test_per_class=4, runs=2, settings=FAST)
    assert [(job.negative[0], job.positive[0]) for job in made[:3]] == [("a", "b"), ("a", "c"), ("b", "a")]
    assert len(made) == 6
    assert set(jobs.compute(made[0]).rows["model"]) == {"real", "real-bin", "bin", "bin-real"}


def test_a_name_depends_on_settings_data_and_code(toy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = page(toy)[0]
    assert job.name == page(toy)[0].name
    assert replace(job, runs=3).causes["settings"] != job.causes["settings"]
    assert replace(job, settings=(("steps", 4),)).causes["settings"] != job.causes["settings"]
    other = tmp_path / "other" / "toy.npz"
    other.parent.mkdir()
    np.savez(other, X=np.random.default_rng(1).normal(size=(36, 6)), y=np.repeat(["a", "b", "c"], 12))
    changed = replace(job, dataset=str(other))
    assert changed.key == job.key
    assert {cause for cause in job.causes if changed.causes[cause] != job.causes[cause]} == {"data"}
    name = job.name
    monkeypatch.setattr(jobs, "code_hash", lambda: "another")
    assert job.name != name


def test_comments_docstrings_layout_and_imports_are_not_code() -> None:
    plain = "def f(x):\n    return x + 1\n"
    dressed = """'''Module.'''
import os

def f(x):
    '''Add.'''
    from a import b
    # one more
    return (x +
        1)
"""
    assert canonical_code(plain) == canonical_code(dressed)
    for before, after in (("1", "2"), ("1", "1.0"), ("f(", "g("), ("+", "-")):
        assert canonical_code(plain) != canonical_code(plain.replace(before, after))


def test_canonical_code_is_the_same_text_on_every_version_of_python() -> None:
    source = "def f[x: int](*, a=-1.5):\n    return f'{a!r:>{3}} {a:.2f}' 'b' if a else None\n"
    assert canonical_code(source.replace("[x: int]", "")) == (
        "Module(body=[FunctionDef(name=str 'f',args=arguments(kwonlyargs=[arg(arg=str 'a')],"
        "kw_defaults=[UnaryOp(op=USub(),operand=Constant(value=float 1.5))]),"
        "body=[Return(value=IfExp(test=Name(id=str 'a',ctx=Load()),body=JoinedStr(values=["
        "FormattedValue(value=Name(id=str 'a',ctx=Load()),conversion=int 114,format_spec=JoinedStr(values=["
        "Constant(value=str '>'),FormattedValue(value=Constant(value=int 3),conversion=int -1)])),"
        "Constant(value=str ' '),FormattedValue(value=Name(id=str 'a',ctx=Load()),conversion=int -1,"
        "format_spec=JoinedStr(values=[Constant(value=str '.2f')])),Constant(value=str 'b')]),"
        "orelse=Constant()))])])"
    )


def test_the_hash_covers_every_module_of_the_room_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(jobs, "canonical_code", lambda source: read.append(source) or source)
    jobs.code_hash.__wrapped__()
    room = Path(jobs.__file__).parent
    assert sorted(read) == sorted(path.read_text() for path in room.glob("*.py"))
    assert len(read) > 10


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"protocol": "best"}, "protocol is 'best'; expected all, literal, charitable, tuned"),
        ({"orientation": "up"}, "orientation is 'up'"),
        ({"runs": 0}, "runs is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"sizes": [3, 30]}, "has 12 objects"),
        ({"settings": {"step": 3}}, "Unknown setting 'step'"),
        ({"settings": {"steps": 0}}, "steps is 0"),
    ],
)
def test_wrong_choices_are_refused_before_any_work(toy: str, choices: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        page(toy, **choices)
