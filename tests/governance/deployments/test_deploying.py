"""Requirements of an environment, and the status of a request: values in, values out."""

from datetime import UTC, datetime, timedelta

import pytest

from governance.core.deployment_requests import (
    NOTHING_REQUIRED,
    RequestStatus,
    Required,
    request_status,
)

NOW = datetime(2026, 11, 18, tzinfo=UTC)
A_MINUTE = timedelta(minutes=1)


def test_nothing_is_required_unless_somebody_says_so():
    assert not NOTHING_REQUIRED.anything
    assert NOTHING_REQUIRED.backtest(None, "production") is None
    assert NOTHING_REQUIRED.backtest(10_000, "production") is None


def test_a_required_backtest_that_nobody_ran_holds_back():
    blocked = Required(max_newly_denied=5).backtest(None, "production")
    assert blocked is not None
    assert blocked.code == "backtest_required"
    assert not blocked.overridable
    assert "production" in blocked.why


@pytest.mark.parametrize(("newly_denied", "most"), [(0, 0), (5, 5), (4, 5)])
def test_as_many_newly_denied_calls_as_it_may_have_are_enough(newly_denied, most):
    assert Required(max_newly_denied=most).backtest(newly_denied, "production") is None


@pytest.mark.parametrize(
    ("newly_denied", "says"), [(1, "newly denies 1 call;"), (1_200, "newly denies 1,200 calls;")]
)
def test_one_newly_denied_call_too_many_holds_back_and_says_how_many(newly_denied, says):
    blocked = Required(max_newly_denied=0).backtest(newly_denied, "production")
    assert blocked is not None
    assert blocked.code == "backtest_denies"
    assert says in blocked.why
    assert "at most 0" in blocked.why


def test_a_request_that_nobody_decided_expires_at_its_time_and_not_before():
    assert request_status(RequestStatus.PENDING, NOW + A_MINUTE, NOW) is RequestStatus.PENDING
    assert request_status(RequestStatus.PENDING, NOW, NOW) is RequestStatus.EXPIRED


@pytest.mark.parametrize("ended", [each for each in RequestStatus if each != "pending"])
def test_what_was_decided_stays_as_it_was_decided(ended):
    assert request_status(ended, NOW - A_MINUTE, NOW) is ended
