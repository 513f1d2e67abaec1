"""The command ``wfhelpers``: what can be made again, and what the results say."""

import argparse
import io
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

Options = argparse.Namespace


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    from wfhelpers._support import InputError

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # a pipe on Windows has no arrow and no minus sign otherwise
    options = _parser().parse_args(words)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read the output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def _parser() -> argparse.ArgumentParser:
    epilog = "Every verb has a --help of its own, with an example."
    parser = argparse.ArgumentParser(prog="wfhelpers", description=__doc__, epilog=epilog)
    verbs = parser.add_subparsers(metavar="verb", required=True)

    def add(run: Callable[[Options], int], example: str) -> argparse.ArgumentParser:
        name, what = run.__name__.strip("_").replace("_", "-"), str(run.__doc__)
        verb = verbs.add_parser(name, help=what, description=what, epilog=f"Example: wfhelpers {name} {example}")
        verb.set_defaults(run=run)
        return verb

    verb = add(_reproduce, "--only 'mnist_1_*' --workers 2")
    verb.add_argument("experiments", nargs="?", default="experiments.yml", help="file of experiments")
    verb.add_argument("--only", metavar="PATTERN", help="batches whose name contains the pattern, such as 'mnist_1_*'")
    verb.add_argument("--force", action="store_true", help="do also what is done, and compare with the former medians")
    verb.add_argument("--dry-run", action="store_true", help="say what is done, missing or changed, and why")
    verb.add_argument("--workers", type=_count, help="local worker processes (default: one per core)")
    verb.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="Dask cluster that does the work instead")
    verb.add_argument("--results", default="results", help="folder of the results store")
    verb.add_argument("--pages", default="book/tasks", help="folder of the pages")
    verb.add_argument("--template", default="notebooks/task_report.ipynb", help="notebook that makes a page")

    verb = add(_measure, "evidence --force")
    verb.add_argument("names", nargs="*", metavar="NAME", help="evidence, sensitivity, reference_points (default: all)")
    verb.add_argument("--force", action="store_true", help="measure also what is not stale")

    verb = add(_tune, "mnist citeseer")
    verb.add_argument("names", nargs="*", metavar="NAME", help="mnist, citeseer, peers (default: all)")
    verb.add_argument("--force", action="store_true", help="tune also what is not stale")

    verb = add(_ledger, "--all")
    verb.add_argument("--all", action="store_true", help="every part, protocol and orientation with its numbers")
    verb.add_argument("--results", help="folder of results (default: that of the project, or what is installed)")

    verb = add(_networks, "mnist_1_vs_2 --protocol tuned --size 150 --run 3 --picture network.png")
    verb.add_argument("task", help="task by the name of its page, such as mnist_1_vs_2")
    verb.add_argument("--protocol", default="tuned", help="literal, charitable or tuned (default: tuned)")
    verb.add_argument("--size", type=_count, default=150, help="training objects per class (default: 150)")
    verb.add_argument("--orientation", default="given", help="given, or swapped: the groups exchanged")
    verb.add_argument("--run", type=int, default=0, dest="number", help="number of the run (default: 0)")
    verb.add_argument(
        "--picture",
        type=_file(".png", ".svg", ".pdf"),
        metavar="FILE",
        help="draw the network into a .png, .svg or .pdf file",
    )
    verb.add_argument("--results", help="folder of results (default: that of the project)")

    verb = add(_describe, "--tidy all_tasks.csv.gz")
    words = "instead, write all tables of tasks into one .csv or .csv.gz file"
    verb.add_argument("--tidy", type=_file(".csv", ".csv.gz"), metavar="FILE", help=words)

    add(_status, "")

    verb = add(_fetch, "my-folder")
    verb.add_argument("folder", nargs="?", default=".", help="where to put it (default: here)")
    return parser


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _file(*endings: str) -> Callable[[str], str]:
    def checked(text: str) -> str:
        if not text.endswith(endings) or not os.path.isdir(os.path.dirname(text) or "."):
            raise argparse.ArgumentTypeError(f"{text!r} is not a {' or '.join(endings)} file in a folder that exists")
        return text

    return checked


def _reproduce(options: Options) -> int:
    """Compute the tasks that are missing or stale, and make their pages."""
    from wfhelpers.results.reproduce import Run

    run = Run(**{name: value for name, value in vars(options).items() if name not in ("run", "dry_run")})
    if not options.dry_run:
        return run.execute()
    plan = run.plan()
    print(plan.to_string(index=False))
    print(f"{len(plan)} batches, {len(run.pending())} to do.")
    return 0


def _measure(options: Options) -> int:
    """Make the stored measurements again, where they are stale."""
    return _make(options.names or ["evidence", "sensitivity", "reference_points"], options.force)


def _tune(options: Options) -> int:
    """Make the stored trials again, where they are stale: before the tasks, which depend on them."""
    return _make([f"trials_{name}" for name in options.names or ["mnist", "citeseer", "peers"]], options.force)


def _make(names: Sequence[str], force: bool) -> int:
    from wfhelpers._support import InputError
    from wfhelpers.results.tables import TABLES

    if unknown := set(names) - set(TABLES):
        known = ", ".join(table.command for table in TABLES.values())
        raise InputError(f"There is no table {min(unknown)!r}; expected one of: {known}.")
    for name in names:
        made = TABLES[name].make(force=force)
        print(f"{name}: {len(made)} of {len(TABLES[name].pieces())} pieces made.", flush=True)
    return 0


def _ledger(options: Options) -> int:
    """Print the verdict on every claim of the paper."""
    from wfhelpers import ledger
    from wfhelpers.results.store import StoreError, results_folder

    folder = options.results
    try:
        folder = folder or results_folder()
    except StoreError:  # not inside of a project
        folder = _material() / "results"
    judged = ledger.judge(ledger.load(folder))
    if options.all:
        print(judged.drop(columns="evidence").round(3).to_string(index=False))
    else:
        verdicts = ledger.by_claim(judged)
        verdicts.insert(0, "the paper says", [claim.words for claim in ledger.LEDGER])
        print(verdicts.to_string())
    return 0


def _networks(options: Options) -> int:
    """Load a network that Algorithm 1 found, draw it, and compute its AUC again."""
    from wfhelpers.results.networks import load
    from wfhelpers.show.figures_networks import binary_network

    where = (options.task, options.protocol, options.size, options.orientation, options.number)
    found = load(*where, folder=options.results)
    words = f"{found.job.task.title}, {found.job.protocol}, {found.job.size} per class, run {found.run}"
    print(f"{words}: {int(found.weights.sum()):,} of {found.weights.numel():,} connections")
    print(f"AUC {found.stored_auc:.4f} as stored, {found.auc:.4f} computed again")
    if options.picture:
        binary_network(found.weights, words).savefig(options.picture, dpi=150)
    return 0


def _describe(options: Options) -> int:
    """Write what follows from the results: the README's answer, data dictionary, RO-Crate and schema of experiments."""
    from wfhelpers.results import catalogue
    from wfhelpers.results.store import results_folder, write_whole
    from wfhelpers.show.describe import made

    if options.tidy:
        catalogue.tidy(results_folder()).to_csv(options.tidy, index=False)
        return 0
    root = results_folder().parent
    for name, content in made(root).items():
        write_whole(root / name, content)
        print(name)
    return 0


def _status(options: Options) -> int:
    """Say what is stale, and why, of all that is stored: trials, jobs, pages and measurements."""
    import pandas as pd

    from wfhelpers.results.reproduce import Run
    from wfhelpers.results.tables import TABLES

    states = {(name, table.command): list(table.states().values()) for name, table in TABLES.items()}
    states |= {(name, "reproduce"): found for name, found in Run().states().items()}
    lines = []
    for (name, command), found in states.items():
        why = pd.Series([state for state in found if state != "done"], dtype=str).value_counts()
        line = {"what": name, "stored": len(found) - why.sum(), "to do": why.sum()}
        said = ", ".join(f"{count} {state}" for state, count in why.items())
        lines.append({**line, "why": said, "made by": f"wfhelpers {command}" if said else ""})
    table = pd.DataFrame(lines)
    print(table.to_string(index=False))
    if table[table["what"].str.startswith("trials")]["to do"].any():
        print("The tasks and the measurements depend on the trials: wfhelpers tune comes first.")
    print(f"{table['to do'].sum()} to do.")
    return 0


def _fetch(options: Options) -> int:
    """Copy the chapters, the experiments file and the stored results into a folder, where they can be run again."""
    from wfhelpers._support import InputError

    folder, names = Path(options.folder), ("experiments.yml", "notebooks", "results")
    if there := [name for name in names if (folder / name).exists()]:
        raise InputError(f"{folder / there[0]} exists and is not overwritten; name another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        source, target = _material() / name, folder / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns(".*", "__pycache__"))
        else:
            shutil.copy(source, target)
    print(f"{', '.join(names)} are in {folder}. To run a chapter there, for example:")
    print("papermill notebooks/01_data.ipynb out.ipynb -p dataset citeseer")
    return 0


def _material() -> Path:
    """Chapters, experiments file and results: inside of an installed package, beside that of a checkout."""
    package = Path(__file__).parent
    installed = package / "material"
    return installed if installed.is_dir() else package.parent


if __name__ == "__main__":
    sys.exit(main())
