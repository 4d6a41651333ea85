"""Who waits long asks seldom, and nobody is left to wait beyond the time that was asked for."""

import pytest

from outcomes.api.waiting import LONGEST_PAUSE, PAUSE, NotYet


@pytest.mark.parametrize(
    ("waited", "of", "pause"),
    [(0.0, 5, PAUSE), (0.4, 5, 0.1), (20.0, 30, LONGEST_PAUSE), (4.9, 5, pytest.approx(0.1))],
)
def test_the_pause_grows_with_the_wait_and_ends_with_it(waited, of, pause):
    assert NotYet(waited=waited, of=of).pause == pause
