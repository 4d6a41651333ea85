"""Requirements of an environment, and the status of a request, without a database."""

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


def test_nothing_is_required_by_default():
    assert not NOTHING_REQUIRED.anything
    assert NOTHING_REQUIRED.backtest(None, "production") is None
    assert NOTHING_REQUIRED.backtest(10_000, "production") is None


def test_a_missing_required_backtest_blocks_the_deployment():
    blocked = Required(max_newly_denied=5).backtest(None, "production")
    assert blocked is not None
    assert blocked.code == "backtest_required"
    assert not blocked.overridable
    assert "production" in blocked.why


@pytest.mark.parametrize(("newly_denied", "most"), [(0, 0), (5, 5), (4, 5)])
def test_a_backtest_within_the_newly_denied_limit_passes(newly_denied, most):
    assert Required(max_newly_denied=most).backtest(newly_denied, "production") is None


@pytest.mark.parametrize(
    ("newly_denied", "says"), [(1, "newly denies 1 call;"), (1_200, "newly denies 1,200 calls;")]
)
def test_a_backtest_over_the_newly_denied_limit_blocks_and_reports_the_count(newly_denied, says):
    blocked = Required(max_newly_denied=0).backtest(newly_denied, "production")
    assert blocked is not None
    assert blocked.code == "backtest_denies"
    assert says in blocked.why
    assert "at most 0" in blocked.why


def test_a_pending_request_expires_exactly_at_its_expiry():
    assert request_status(RequestStatus.PENDING, NOW + A_MINUTE, NOW) is RequestStatus.PENDING
    assert request_status(RequestStatus.PENDING, NOW, NOW) is RequestStatus.EXPIRED


@pytest.mark.parametrize("ended", [each for each in RequestStatus if each != "pending"])
def test_a_decided_request_does_not_expire(ended):
    assert request_status(ended, NOW - A_MINUTE, NOW) is ended
