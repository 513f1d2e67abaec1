"""What the stored trials of the protocol tuned say: winners, ends of the grid, mini-batches."""

import pandas as pd

from wfhelpers.core.protocols import JUDGED_BY, RATES, chosen

TUNED = tuple(field for fields in JUDGED_BY.values() for field in fields)
"""Fields of `wfhelpers.core.strategies.Settings` that trials decide."""

FIELDS = tuple(field for name in ("real", "lottery", "bin", "bin_real") for field in JUDGED_BY[name])
"""Those of them that belong to trained models."""


def finalists(trials: pd.DataFrame) -> pd.DataFrame:
    """Trials of the second round, which were judged by all runs, of trained models."""
    return trials[(trials["runs"] > 1) & trials["field"].isin(FIELDS)]


def best(trials: pd.DataFrame) -> pd.DataFrame:
    """Row of the winner of each field in the second round, as `wfhelpers.core.protocols.chosen` chooses it."""
    rows, settings, winners = finalists(trials), chosen(trials), {}
    for field in FIELDS:
        training = getattr(settings, field)
        wanted = {"scale": training.start.scale, "mean": training.start.mean, "rate": training.rate}
        wanted |= {"steps": training.steps, "batch": training.batch}
        same = rows["field"] == field
        for column, value in wanted.items():
            same &= rows[column].isna() if value is None else rows[column] == value
        winners[field] = rows[same].iloc[0]
    return pd.DataFrame(winners).T.infer_objects()


def ends(trials: pd.DataFrame) -> pd.DataFrame:
    """Rate of the winner, and how much worse the best trial at each end of the rates is in the first round."""
    first = trials[(trials["runs"] == 1) & trials["field"].isin(FIELDS)]
    by_rate = first.groupby(["field", "rate"], sort=False)["validation_auc"].max().unstack("rate").loc[list(FIELDS)]
    worse = {f"at {rate:g}": (by_rate.max(axis=1) - by_rate[rate]).round(3) for rate in (RATES[0], RATES[-1])}
    return pd.DataFrame({"rate of the winner": best(trials)["rate"].map("{:g}".format), **worse}).loc[list(FIELDS)]


def by_batch(trials: pd.DataFrame) -> pd.DataFrame:
    """Highest validation AUC of the second round: one row per field, one column per size of a mini-batch."""
    rows = finalists(trials)
    words = rows["batch"].map(lambda size: "all objects" if pd.isna(size) else f"{int(size)} at a time")
    table = rows.groupby(["field", words.rename(None)], sort=False)["validation_auc"].max().unstack()
    return table.loc[list(FIELDS), ["all objects", "20 at a time", "1 at a time"]]
