"""What the broker does not bring in time is done without it, and what it brings is left to it."""

from edictum_site.own_clock import LATE, Due

SWEEP, SELDOM = "sweep", "seldom"


def due() -> Due:
    return Due({SWEEP: 2.0, SELDOM: 3_600.0}, began=100.0)


def test_at_first_the_broker_is_given_time():
    assert due().at(100.0 + 2.0 + LATE - 0.1) == []
    assert due().at(100.0 + 2.0 + LATE) == [SWEEP]


def test_what_is_brought_is_not_done_here():
    told = due()
    for now in range(101, 200, 2):
        told.brought(SWEEP)
        told.ended(SWEEP, now)
        assert told.at(now + 2.0) == []


def test_what_is_still_under_way_is_not_begun_again():
    told = due()
    told.brought(SWEEP)
    assert told.at(100.0 + 900.0) == []
    told.ended(SWEEP, 1_000.0)
    assert told.at(1_001.0) == []


def test_without_a_broker_each_is_done_as_often_as_it_is_asked_for():
    told = due()
    assert told.at(110.0) == [SWEEP]
    told.run_here(SWEEP, 110.0)
    assert told.at(111.9) == []
    assert told.at(112.0) == [SWEEP]


def test_a_broker_that_is_back_is_trusted_again():
    told = due()
    told.run_here(SWEEP, 110.0)
    told.brought(SWEEP)
    told.ended(SWEEP, 111.0)
    assert told.at(113.0 + LATE - 0.1) == []


def test_what_is_seldom_is_done_too():
    assert due().at(100.0 + 3_600.0 + LATE) == [SWEEP, SELDOM]
