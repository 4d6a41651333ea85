"""Makes Hypothesis try the same examples in every run, locally and in CI.

Hypothesis has a profile for that, but loads it only if it detects CI. It also draws from the
constants of all imported modules, so a test run on its own would try different examples; that is
disabled here. `make examples` tries other examples.
"""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

SAME, OTHERS = "ci", "others"


@pytest.hookimpl(tryfirst=True)  # Hypothesis' own hook then loads the profile of the command line
def pytest_configure(config: pytest.Config) -> None:
    settings.register_profile(OTHERS, settings.get_profile(SAME), derandomize=False)
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile(SAME)
        pytest.MonkeyPatch().setattr(providers, "_get_local_constants", Constants)


def with_a_database(examples: int) -> settings:
    """Settings for a property whose examples share the test's database: each example undoes its
    writes, or adds only data that doesn't affect the others."""
    shared = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    return settings(max_examples=examples, suppress_health_check=shared)
