"""Wilson confidence intervals of rates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.core.wilson import wilson


@pytest.mark.parametrize(
    ("successes", "of", "lower", "upper"),
    [
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (1, 1, 0.2065, 1.0),
        (1170, 1204, 0.9608, 0.9797),
    ],
)
def test_the_interval_matches_published_tables(successes, of, lower, upper):
    assert list(wilson(successes, of)) == pytest.approx([lower, upper], abs=1e-4)


counts = st.integers(1, 10_000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


@given(counts)
def test_the_rate_is_within_its_interval(count):
    successes, of = count
    lower, upper = wilson(successes, of)
    assert 0 <= lower <= successes / of <= upper <= 1


@given(counts)
def test_intervals_of_failures_mirror_those_of_successes(count):
    successes, of = count
    lower, upper = wilson(successes, of)
    assert list(wilson(of - successes, of)) == pytest.approx([1 - upper, 1 - lower])


@given(counts)
def test_a_larger_sample_has_a_narrower_interval(count):
    successes, of = count
    lower, upper = wilson(successes, of)
    surer_lower, surer_upper = wilson(successes * 10, of * 10)
    assert surer_upper - surer_lower < upper - lower
