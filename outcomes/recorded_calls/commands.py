"""Storing the individual calls that a backtest would change, in addition to its figures."""

from typing import Final

from outcomes.core.moments import moment_of
from outcomes.models import Backtest, ChangedCall
from outcomes.recorded_calls.domain import ChangedCallSample

WITH_CALLS: Final = 50  # newest backtests per project; older ones keep figures and samples
AT_ONCE: Final = 1_000


def keep_changed_calls(backtest: Backtest, sample: ChangedCallSample) -> None:
    ChangedCall.objects.filter(backtest=backtest).delete()  # from a try whose process died
    for start in range(0, len(sample), AT_ONCE):  # in chunks, so settling can run
        ChangedCall.objects.bulk_create(
            ChangedCall(
                backtest=backtest,
                call_id=each.call,
                at=moment_of(each.at),
                change=each.change,
                behind=each.behind,
                was=each.was,
                was_rule=each.was_rule,
                now=each.now,
                rule=each.rule,
                output=each.output,
            )
            for each in sample.calls[start : start + AT_ONCE]
        )
    _forget_older(backtest.project_id)


def _forget_older(project_id: int) -> None:
    ids = Backtest.objects.filter(project=project_id).order_by("-id").values_list("id", flat=True)
    oldest = ids[WITH_CALLS - 1 : WITH_CALLS].first()
    if oldest is not None:
        old = ChangedCall.objects.filter(backtest__project=project_id, backtest__lt=oldest)
        old.delete()
