"""One version everywhere, a citation that tools can read, and forms that GitHub can show."""

import json
import re
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

import wfhelpers

ROOT = Path(__file__).parents[1]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))


def citation() -> dict[str, Any]:
    """The file as JSON has it: dates are text."""
    content = yaml.load((ROOT / "CITATION.cff").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    assert isinstance(content, dict)
    return content


def newest_change() -> tuple[str, str]:
    """Version and date of the first section of the changelog."""
    heading = re.search(r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert heading
    return heading[1], heading[2]


def test_there_is_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    crate = json.loads((ROOT / "ro-crate-metadata.json").read_text(encoding="utf-8"))
    stated = {entity["version"] for entity in crate["@graph"] if "version" in entity}
    assert wfhelpers.__version__ == version("wfhelpers") == project["version"]
    assert {wfhelpers.__version__} == {citation()["version"], newest_change()[0], *stated}
    typed = (ROOT / "wfhelpers" / "__init__.py").read_text(encoding="utf-8")
    assert project["version"] not in typed


def test_the_date_of_the_citation_is_that_of_the_changelog() -> None:
    assert citation()["date-released"] == newest_change()[1]


PERSON = {"type": "object", "required": ["family-names", "given-names"]}
ENTITY = {"type": "object", "required": ["name"]}
AUTHORS = {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"anyOf": [PERSON, ENTITY]}}
DATE = {"type": "string", "pattern": r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$"}
TEXT = {"type": "string", "minLength": 1}
WORK = {
    "type": "object",
    "required": ["authors", "title", "type"],
    "properties": {"authors": AUTHORS, "title": TEXT, "type": {"enum": ["article"]}, "year": {"pattern": r"^\d{4}$"}},
}
CFF = {
    "type": "object",
    "required": ["authors", "cff-version", "message", "title"],
    "additionalProperties": False,
    "properties": {
        "cff-version": {"const": "1.2.0"},
        "message": TEXT,
        "type": {"enum": ["software", "dataset"]},
        "title": TEXT,
        "abstract": TEXT,
        "keywords": {"type": "array", "minItems": 1, "uniqueItems": True, "items": TEXT},
        "version": TEXT,
        "date-released": DATE,
        "license": {"const": "MIT"},
        "authors": AUTHORS,
        "references": {"type": "array", "minItems": 1, "items": WORK},
    },
}
"""What the Citation File Format 1.2.0 asks of the fields that are used here."""


def test_the_citation_keeps_to_its_format() -> None:
    assert list(Draft7Validator(CFF).iter_errors(citation())) == []


def test_the_citation_is_valid_against_the_published_schema() -> None:
    schemas = pytest.importorskip("check_jsonschema.builtin_schemas")
    whole = schemas.get_builtin_schema("vendor.citation-file-format")
    assert list(Draft7Validator(whole).iter_errors(citation())) == []


BROKEN = ({"version": ""}, {"authors": []}, {"date-released": "18.11.2026"}, {"licence": "MIT"})


@pytest.mark.parametrize("change", BROKEN)
def test_a_broken_citation_is_found(change: dict[str, Any]) -> None:
    assert list(Draft7Validator(CFF).iter_errors(citation() | change))


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_for_what_is_needed(form: Path) -> None:
    content = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= set(content)
    fields = {field["id"]: field for field in content["body"]}
    assert len(fields) == len(content["body"])
    assert all(field["type"] in ("input", "textarea") and field["attributes"]["label"] for field in fields.values())
    required = {name for name, field in fields.items() if field.get("validations", {}).get("required")}
    needed = {"mistake": {"page", "says", "should"}, "not_reproduced": {"command", "expected", "found", "provenance"}}
    assert needed[form.stem] <= required


def test_there_is_a_form_for_mistakes_and_one_for_results() -> None:
    assert [form.stem for form in FORMS] == ["mistake", "not_reproduced"]
