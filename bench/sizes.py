"""Sizes of a run: large enough for reliable figures, or small enough for a check in a minute."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    ingest: dict[int, int]  # items, by items per post
    settle: int
    end_to_end: int
    lag_seconds: int
    counting_seconds: int
    governed: int  # calls
    backtest: int  # recorded calls


FULL = Sizes({1: 6_000, 50: 60_000, 500: 150_000}, 100_000, 200_000, 20, 8, 1_000, 100_000)
QUICK = Sizes({1: 400, 50: 4_000, 500: 8_000}, 12_000, 16_000, 4, 3, 150, 24_000)
CLIENTS = (1, 4)
COUNTING = (1, 8)  # clients that increment counters
LAG_ITEMS, LAG_BATCH = 2_000, 50  # per second, per post
LAGS = (1_000, LAG_ITEMS)  # items per second: SQLite's target and PostgreSQL's
