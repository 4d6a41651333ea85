"""A session limit over the number of the call: how far each of its countings was after every call,
and what had run when it stopped the agent."""

from collections.abc import Iterator, Sequence

from governance.contracts.domain.limit_use import LimitUse
from outcomes.record.brief_call import BriefCall
from outcomes.sessions.domain.overview import Results

COUNTINGS = ("executions", "reported", "classified")


def lines_of(calls: Sequence[BriefCall], use: LimitUse) -> dict[str, list[int]]:
    """By counting; where only the newest calls are given, the lines begin where those began."""
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


def before_stop(calls: Sequence[BriefCall], use: LimitUse, *, first: int) -> Results | None:
    """What ran of the limit's own calls until it stopped the agent; none where some are unknown."""
    if first != 1 or use.stopped_at is None:
        return None
    results = Results()
    for call in calls[: use.stopped_at - 1]:
        if call.ran and _counts(call, use):
            results.count(call)
    return results


def _counts(call: BriefCall, use: LimitUse) -> bool:
    return use.limit.tool in (None, call.tool) and _fits(call, use)


def _fits(call: BriefCall, use: LimitUse) -> bool:
    """The SDK's own limits are there for calls of an SDK only."""
    return call.from_sdk or not use.limit.assumed


def _added_up(steps: Sequence[int], begin: int) -> Iterator[int]:
    count = max(begin, 0)
    for step in steps:
        count += step
        yield count
