"""The data dictionary against the files that it describes, all tasks as one table, and the crate's checksums."""

import hashlib
import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wfhelpers._support import InputError
from wfhelpers.results import catalogue
from wfhelpers.results.catalogue import Column, Described
from wfhelpers.results.store import Store

ROOT = Path(__file__).parents[2]
ENTRIES = catalogue.read(ROOT)
FILES = {str(path.relative_to(ROOT)): (path, entry) for entry in ENTRIES for path in entry.files(ROOT)}
KEYS = {"unit", "meaning", "range", "words", "like", "empty", "dtype", "shape", "coming"}


def problems(path: Path, entry: Described) -> list[str]:
    """What a file holds that the dictionary does not say, and the other way round."""
    if entry.arrays:
        return array_problems(path, entry)
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    wanted = [name for name, column in entry.columns.items() if "coming" not in column]
    found = [] if list(table) == wanted else [f"{path.name} has the columns {list(table)}, described are {wanted}"]
    for name in table:
        if name in entry.columns:
            found += [f"{path.name}, {name}: {words}" for words in column_problems(table[name], entry.columns[name])]
    return found


def column_problems(values: "pd.Series[str]", column: Column) -> list[str]:
    if "coming" in column:
        return ["it is there: take the word `coming` out of results/dictionary.yml"]
    given = values[values != ""]
    if len(given) < len(values) and "empty" not in column:
        return ["some entries are empty"]
    if "words" in column:
        wrong = given[~given.isin(catalogue.words_of(column))]
    elif "like" in column:
        wrong = given[~given.str.fullmatch(column["like"])]
    else:
        low, high = column["range"]
        numbers = pd.to_numeric(given, errors="coerce")
        wrong = given[~numbers.between(-np.inf if low is None else low, np.inf if high is None else high)]
    return [f"{wrong.iloc[0]!r} is out of its range"] if len(wrong) else []


def array_problems(path: Path, entry: Described) -> list[str]:
    if entry.coming:
        return [f"{path.name} is there: take the word `coming` out of results/dictionary.yml"]
    found = []
    patterns = {catalogue.placeholders(name): column for name, column in entry.columns.items()}
    seen = set()
    for member, array in np.load(path, allow_pickle=False).items():
        matching = [pattern for pattern in patterns if pattern.fullmatch(member)]
        if len(matching) != 1:
            found.append(f"{path.name} has the array {member}, which is not described")
            continue
        seen |= set(matching)
        column = patterns[matching[0]]
        shape = [length for length, wanted in zip(array.shape, column["shape"], strict=True) if wanted is not None]
        fits = str(array.dtype) == column["dtype"] and shape == [n for n in column["shape"] if n is not None]
        if not fits or array.min() < column["range"][0] or array.max() > column["range"][1]:
            found.append(f"{path.name}, {member}: {array.dtype} {array.shape}, {array.min()} to {array.max()}")
    return found + [f"{path.name} lacks {pattern.pattern}" for pattern in set(patterns) - seen]


@pytest.mark.parametrize("name", FILES)
def test_a_file_holds_what_the_dictionary_says(name: str) -> None:
    assert problems(*FILES[name]) == []


def test_every_stored_file_is_described_once() -> None:
    command = ["git", "ls-files", "results", "wfhelpers/core/bundled/*.csv"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    stored = set(listed.stdout.split()) - {"results/README.md", "results/dictionary.yml"}
    assert stored == set(FILES)
    assert len(FILES) == sum(len(entry.files(ROOT)) for entry in ENTRIES)
    assert [entry.name for entry in ENTRIES if not entry.files(ROOT) and not entry.coming] == []


def test_every_description_is_complete() -> None:
    for entry in ENTRIES:
        assert entry.about
        assert entry.made_by.startswith("wfhelpers ")
        for name, column in entry.columns.items():
            assert set(column) <= KEYS, (entry.name, name)
            assert {"unit", "meaning"} <= set(column)
            assert len({"range", "words", "like"} & set(column)) == 1
            assert {"dtype", "shape"} <= set(column) or not entry.arrays


def changed(tmp_path: Path, name: str, **columns: object) -> list[str]:
    """Problems of a table with other columns than the stored one has."""
    path, entry = FILES[name]
    pd.read_csv(path).head(20).assign(**columns).to_csv(tmp_path / path.name, index=False)
    return problems(tmp_path / path.name, entry)


TASKS = "results/mnist_tuned.csv.gz"


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"new": 1}, "described are"),
        ({"auc": 1.2}, "auc: '1.2' is out of its range"),
        ({"auc": "high"}, "auc: 'high' is out of its range"),
        ({"auc": ""}, "auc: some entries are empty"),
        ({"model": "best"}, "model: 'best'"),
        ({"job": "x"}, "job: 'x'"),
        ({"run": -1}, "run: '-1'"),
    ],
)
def test_a_new_column_and_a_value_out_of_range_are_found(
    tmp_path: Path, columns: dict[str, object], words: str
) -> None:
    assert changed(tmp_path, TASKS) == []
    assert words in " ".join(changed(tmp_path, TASKS, **columns))


def test_a_column_that_is_gone_and_one_that_has_come_are_found() -> None:
    path, entry = FILES[TASKS]
    (gone,) = problems(path, replace(entry, columns={**entry.columns, "more": entry.columns["auc"]}))
    assert "'more'" in gone
    coming = entry.columns["auc"] | {"coming": True}
    (_, come) = problems(path, replace(entry, columns={**entry.columns, "auc": coming}))
    assert "take the word `coming` out" in come


def test_other_arrays_are_found(tmp_path: Path) -> None:
    path, entry = FILES["results/mnist_tuned_spectra.npz"]
    arrays = dict(np.load(path))
    name = next(member for member in arrays if member.endswith("_explained"))
    for other in ({"more": arrays[name]}, {name: arrays[name] + 2}, {name: arrays[name].astype(np.float32)}):
        np.savez(tmp_path / path.name, **(arrays | other))
        assert len(problems(tmp_path / path.name, entry)) == 1


def test_networks_as_they_are_packed_fit_their_description(tmp_path: Path) -> None:
    (entry,) = (replace(entry, coming=False) for entry in ENTRIES if entry.name.endswith("_networks.npz"))
    bits = np.random.default_rng(0).integers(0, 2, (30, 2 * 64 * 64), dtype=np.uint8)
    np.savez_compressed(tmp_path / "mnist_tuned_networks.npz", **{"0123456789ab": np.packbits(bits, axis=1)})
    (path,) = replace(entry, name=Path(entry.name).name).files(tmp_path)
    assert problems(path, entry) == []
    np.savez_compressed(path, **{"0123456789ab": bits})
    assert len(problems(path, entry)) == 1


def test_no_results_make_no_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no results; `wfhelpers reproduce` makes them"):
        catalogue.tidy(tmp_path)


def test_all_tasks_are_one_tidy_table() -> None:
    table = catalogue.tidy(ROOT / "results")
    files = [path for path, entry in FILES.values() if entry.columns is not None and path.name.endswith(".csv.gz")]
    separate = pd.concat([pd.read_csv(path, dtype={"negative": str, "positive": str}) for path in files])
    assert len(table) == len(separate)
    assert not table.duplicated(["kind", "protocol", "dataset", "task", "size", "model", "run"]).any()
    assert list(table) == ["kind", *separate.columns]
    order = ["job", "model", "run"]
    ours, theirs = (each.sort_values(order).reset_index(drop=True) for each in (table, separate))
    pd.testing.assert_frame_equal(ours.drop(columns="kind"), theirs, check_dtype=False)
    kinds = Store(ROOT / "results").records.set_index("job")["kind"]
    assert table["kind"].equals(table["job"].map(kinds).rename("kind"))


def test_the_crate_names_every_file_with_its_checksum() -> None:
    crate = json.loads((ROOT / "ro-crate-metadata.json").read_text(encoding="utf-8"))
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    files = {name: entity for name, entity in entities.items() if entity["@type"] == "File"}
    assert set(FILES) | {"experiments.yml", "results/dictionary.yml"} == set(files)
    for name, entity in files.items():
        content = (ROOT / name).read_bytes()
        assert entity["sha256"] == hashlib.sha256(content).hexdigest(), f"{name} changed: run wfhelpers describe"
        assert entity["contentSize"] == str(len(content))


def test_the_crate_keeps_to_ro_crate_1_1() -> None:
    crate = catalogue.crate(ROOT)
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(entities) == len(crate["@graph"])
    descriptor, root = entities["ro-crate-metadata.json"], entities["./"]
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert descriptor["about"] == {"@id": "./"}
    assert {"name", "description", "datePublished", "license"} <= set(root)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", root["datePublished"])
    linked = set(re.findall(r'\{"@id": "([^"]+)"\}', json.dumps(crate["@graph"])))
    assert linked - set(entities) == {"https://w3id.org/ro/crate/1.1"}
    actions = [entity for entity in entities.values() if entity["@type"] == "CreateAction"]
    made = {part["@id"] for action in actions for part in action["result"]}
    assert made == set(FILES)
