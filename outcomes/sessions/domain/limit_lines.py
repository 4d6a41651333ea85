"""Counts of a session limit after each call, for each way of counting, and the calls counted
before the stop."""

from collections.abc import Iterable, Iterator, Sequence

from governance.contracts.domain.limit_use import LimitUse
from outcomes.record.brief_call import BriefCall
from outcomes.sessions.domain.overview import Results

COUNTINGS = ("executions", "reported", "classified")


def lines_of(calls: Sequence[BriefCall], use: LimitUse) -> dict[str, list[int]]:
    """One line per way of counting; if only the newest calls are given, each line starts at the
    count before them."""
    if "attempts" in use.used:
        counts = {"attempts": [int(_fits(call, use)) for call in calls]}
    else:
        counted = [call.ran and _counts(call, use) for call in calls]
        both = list(zip(calls, counted, strict=True))
        counts = {
            "executions": [int(here) for here in counted],
            "reported": [int(here and call.reported == "success") for call, here in both],
            "classified": [int(here and call.verdict == "success") for call, here in both],
        }
    return {
        name: list(_added_up(steps, use.used[name] - sum(steps))) for name, steps in counts.items()
    }


def counted_before_stop(
    calls: Sequence[BriefCall], use: LimitUse, *, first: int
) -> list[BriefCall] | None:
    """Calls that the limit counted before it stopped the agent; None if not all were read."""
    if first != 1 or use.stopped_at is None:
        return None
    return [call for call in calls[: use.stopped_at - 1] if call.ran and _counts(call, use)]


def results_of(calls: Iterable[BriefCall]) -> Results:
    results = Results()
    for call in calls:
        results.count(call)
    return results


def hit_at(use: LimitUse) -> int | None:
    """Number of the call that used up the limit by the agent's count, else of the first call that
    it denied."""
    reached = use.reached_at.get("executions", use.reached_at.get("attempts"))
    if reached is None or use.stopped_at is None:
        return use.stopped_at
    return min(reached, use.stopped_at)


def _counts(call: BriefCall, use: LimitUse) -> bool:
    return use.limit.tool in (None, call.tool) and _fits(call, use)


def _fits(call: BriefCall, use: LimitUse) -> bool:
    """Whether the limit applies: SDK default limits apply only to calls from an SDK."""
    return call.from_sdk or not use.limit.assumed


def _added_up(steps: Sequence[int], begin: int) -> Iterator[int]:
    count = max(begin, 0)
    for step in steps:
        count += step
        yield count
