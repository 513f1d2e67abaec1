"""What the stored trials of the protocol tuned say: winners, ends of the grid, mini-batches."""

import pandas as pd

from wfhelpers.core.protocols import JUDGED_BY, RATES

FIELDS = tuple(field for name in ("real", "lottery", "bin", "bin_real") for field in JUDGED_BY[name])
"""Fields of `wfhelpers.core.strategies.Settings` that belong to trained models."""


def finalists(trials: pd.DataFrame) -> pd.DataFrame:
    """Trials of the second round, which were judged by all runs, of trained models."""
    return trials[(trials["runs"] > 1) & trials["field"].isin(FIELDS)]


def best(trials: pd.DataFrame) -> pd.DataFrame:
    """Row of the highest validation AUC of the second round, one per field."""
    rows = finalists(trials)
    return rows.loc[rows.groupby("field", sort=False)["validation_auc"].idxmax()].set_index("field")


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
