"""The tasks to run, as data: what ``experiments.yml`` may say, and what is said about a mistake in it.

::

    defaults:                 # of every task, each can be replaced in a task
      sizes: [50, 100, 150]
      runs: 10
    tasks:
      mnist:                  # or citeseer, or the path of a .csv or .npz file
        - {negative: 1, positive: 2, from: "Fig. 5"}
        - {negative: [1, 2, 3], positive: [4, 5, 6]}
    pairs:                    # all ordered pairs of classes
      - {dataset: mnist, size: 100, protocols: [charitable, tuned]}

A mistake is refused in one sentence that names the line and the key. The rules are pieces of JSON Schema: `schema` puts
them together for editors, in ``experiments.schema.json``.
"""

import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, SequenceNode

from wfhelpers._support import InputError
from wfhelpers.core.jobs import ORIENTATIONS, Job, dataset, group_name
from wfhelpers.core.protocols import PROTOCOLS, TRIALS
from wfhelpers.results.plan import known_settings, pair_jobs, task_jobs


class ExperimentError(InputError):
    """A mistake in a file of experiments."""


@dataclass(frozen=True)
class Page:
    """A task that gets a page: what papermill gives to the notebook, and the jobs that follow from it."""

    name: str
    title: str
    source: str
    parameters: Mapping[str, Any]
    jobs: tuple[Job, ...]


@dataclass(frozen=True)
class Experiments:
    """Content of a file of experiments: pages, and the jobs of pairs by data set and protocol."""

    pages: tuple[Page, ...]
    pairs: Mapping[str, tuple[Job, ...]]


# Rule for a value, in the few words of JSON Schema that `fits` knows; its description says what is expected.
Schema = dict[str, Any]

_NUMBER: Schema = {"type": "integer", "minimum": 0, "description": "a whole number"}
_COUNT: Schema = {"type": "integer", "minimum": 1, "description": "a whole number of at least 1"}
_TEXT: Schema = {"type": "string"}
_CLASS: Schema = {"anyOf": [_TEXT, {"type": "number"}]}
_GROUP: Schema = {
    "anyOf": [*_CLASS["anyOf"], {"type": "array", "items": _CLASS, "minItems": 1}],
    "description": "a class or a list of classes",
}


def _words(*words: str) -> Schema:
    return {"enum": list(words), "description": ", ".join(words)}


RUNNING: dict[str, Schema] = {
    "sizes": {"type": "array", "items": _COUNT, "minItems": 1, "description": "a list of sizes such as [50, 100, 150]"},
    "test_per_class": _NUMBER,
    "runs": _COUNT,
    "seed": _NUMBER,
    "protocol": _words("all", *PROTOCOLS),
    "orientation": _words("both", *ORIENTATIONS),
    "settings": {"type": "object", "description": "settings such as {steps: 200}"},
}
"""Keys of ``defaults`` and of a task: the parameters of the page, with what they may be."""

TASK: dict[str, Schema] = {
    "negative": _GROUP,
    "positive": _GROUP,
    "from": _TEXT | {"description": "words that say where the paper has the task"},
    **RUNNING,
}
PAIRS: dict[str, Schema] = {
    "dataset": _TEXT | {"description": "the name of a data set"},
    "size": _COUNT,
    "protocols": {
        "type": "array",
        "items": _words(*PROTOCOLS),
        "minItems": 1,
        "description": f"a list of {', '.join(PROTOCOLS)}",
    },
}
NEEDED = {"task": ("negative", "positive"), "pairs": tuple(PAIRS)}
_TYPES = {"integer": int, "number": int | float, "string": str, "array": list, "object": dict}


def fits(value: Any, rule: Schema) -> bool:
    """Whether a value is as the rule says. Neither true nor false is a number."""
    if "anyOf" in rule:
        return any(fits(value, each) for each in rule["anyOf"])
    if "enum" in rule:
        return value in rule["enum"]
    if isinstance(value, bool) or not isinstance(value, _TYPES[rule["type"]]):
        return False
    if isinstance(value, list):
        return len(value) >= rule["minItems"] and all(fits(each, rule["items"]) for each in value)
    return "minimum" not in rule or bool(value >= rule["minimum"])


def schema() -> Schema:
    """JSON Schema of a file of experiments, with which an editor completes keys and marks mistakes."""
    names = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): ["integer", "null"]}
    settings = {name: {"type": names[type(value)], "default": value} for name, value in known_settings().items()}
    running = {"settings": _mapping(settings) | {"description": RUNNING["settings"]["description"]}}
    tasks = {"type": "array", "items": _mapping(TASK | running, NEEDED["task"])}
    top = {
        "defaults": _mapping(RUNNING | running) | {"description": "of every task; each can be replaced in a task"},
        "tasks": {
            "type": "object",
            "properties": {name: tasks for name in TRIALS},
            "additionalProperties": tasks,
            "description": "tasks by data set: a name, or the path of a .csv or .npz file",
        },
        "pairs": {"type": "array", "items": _mapping(PAIRS, NEEDED["pairs"]), "description": "all pairs of classes"},
    }
    head = {"$schema": "http://json-schema.org/draft-07/schema#", "title": "Tasks to run: experiments.yml"}
    return head | _mapping(top, ("tasks",))


def _mapping(properties: Mapping[str, Schema], needed: tuple[str, ...] = ()) -> Schema:
    closed = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return closed | ({"required": list(needed)} if needed else {})


TOP = ("defaults", "tasks", "pairs")


def read(path: str | Path) -> Experiments:
    """Read and check a file of experiments."""
    return _Reader(Path(path)).experiments()


class _Reader:
    """Walks through the nodes of the file, which know their lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
        except OSError as error:
            raise ExperimentError(f"{path} cannot be read ({error.strerror}); name a file of experiments.") from error
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise ExperimentError(f"{path}, line {line}: this is not YAML ({error.problem}).") from error

    def experiments(self) -> Experiments:
        if self.root is None:
            raise ExperimentError(f"{self.path}, line 1: the file is empty; expected the key 'tasks'.")
        top = self._entries(self.root, "the file", TOP)
        defaults = self._values(top["defaults"], "'defaults'", RUNNING) if "defaults" in top else {}
        if "tasks" not in top:
            raise self._error(self.root, "the key 'tasks' is missing")
        pages = tuple(self._pages(top["tasks"], defaults))
        pairs = dict(self._pairs(top["pairs"], defaults)) if "pairs" in top else {}
        return Experiments(pages, pairs)

    def _pages(self, node: Node, defaults: dict[str, Any]) -> Iterator[Page]:
        names: set[str] = set()
        for name, tasks in self._entries(node, "'tasks'").items():
            for task in self._items(tasks, f"{name!r}"):
                given = defaults | self._values(task, "a task", TASK, NEEDED["task"])
                page = self._checked(task, _page, name, given)
                if page.name in names:
                    raise self._error(task, f"the task {page.title} of {name!r} is there twice")
                names.add(page.name)
                yield page

    def _pairs(self, node: Node, defaults: dict[str, Any]) -> Iterator[tuple[str, tuple[Job, ...]]]:
        shared = {key: defaults[key] for key in ("test_per_class", "runs", "seed", "settings") if key in defaults}
        for entry in self._items(node, "'pairs'"):
            given = self._values(entry, "'pairs'", PAIRS, NEEDED["pairs"])
            for protocol in given["protocols"]:
                jobs = self._checked(entry, pair_jobs, given["dataset"], protocol, given["size"], **shared)
                yield f"pairs_{dataset(given['dataset']).name}_{protocol}", tuple(jobs)

    def _values(
        self, node: Node, where: str, rules: Mapping[str, Schema], needed: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        values = {}
        for key, entry in self._entries(node, where, tuple(rules)).items():
            value = yaml.SafeLoader("").construct_document(entry)
            if not fits(value, rules[key]):
                expected = rules[key]["description"]
                raise self._error(entry, f"the key {key!r} of {where} is {value!r}; expected {expected}")
            values[key] = value
        for key in needed:
            if key not in values:
                raise self._error(node, f"the key {key!r} of {where} is missing")
        return values

    def _entries(self, node: Node, where: str, known: tuple[str, ...] | None = None) -> dict[str, Node]:
        if not isinstance(node, MappingNode):
            raise self._error(node, f"{where} is not a mapping; expected keys with values")
        entries: dict[str, Node] = {}
        for key, value in node.value:
            name = str(key.value)
            if known is not None and name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                hint = f" (did you mean {close[0]!r}?)" if close else ""
                raise self._error(key, f"{where} has the unknown key {name!r}{hint}; expected {', '.join(known)}")
            if name in entries:
                raise self._error(key, f"{where} has the key {name!r} twice")
            entries[name] = value
        return entries

    def _items(self, node: Node, where: str) -> list[Node]:
        if not isinstance(node, SequenceNode):
            raise self._error(node, f"the key {where} is not a list; expected lines that start with '-'")
        return list(node.value)

    def _checked(self, node: Node, make: Callable[..., Any], *values: Any, **options: Any) -> Any:
        try:
            return make(*values, **options)
        except InputError as error:
            raise self._error(node, str(error).removesuffix(".")) from error

    def _error(self, node: Node, words: str) -> ExperimentError:
        return ExperimentError(f"{self.path}, line {node.start_mark.line + 1}: {words}.")


def _page(name: str, given: Mapping[str, Any]) -> Page:
    parameters = {"dataset": name, **{key: value for key, value in given.items() if key != "from"}}
    jobs = task_jobs(**parameters)
    first = jobs[0]
    page_name = f"{dataset(name).name}_{group_name(first.negative)}_vs_{group_name(first.positive)}"
    return Page(page_name, first.task.title, str(given.get("from", "")), parameters, tuple(jobs))
