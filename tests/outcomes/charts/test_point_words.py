"""The label of the last point of a rate is placed on the side without lines."""

import pytest

from outcomes.figures.charts import _is_clear_above


@pytest.mark.parametrize(
    ("now", "before", "above"),
    [
        ([0.9, 0.95, 1.0], [1.0, 0.95, 0.96], True),
        ([1.0, 1.0, 1.0], [None, None, None], True),
        ([0.99, 0.98, 0.9], [0.97, 0.96, 0.95], False),
        ([0.9, 0.98, 0.95], [0.9, 0.9, 0.9], True),
        ([0.1] * 40 + [0.99] * 8, [0.1] * 40 + [1.0] * 8, False),  # points far away do not matter
    ],
)
def test_the_label_of_a_point_is_placed_where_no_line_is(now, before, above):
    assert _is_clear_above([now, before], len(now) - 1, now[-1]) is above
