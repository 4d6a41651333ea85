"""Makes every run try the same examples of each property, here and on the server that integrates.

Hypothesis has a profile for that, and takes it only where it believes to be on such a server. What
that leaves to chance is closed here: it also draws from the constants of all modules that happen
to be imported, so that a test alone would try others than the whole. `make examples` tries others.
"""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

SAME, OTHERS = "ci", "others"


@pytest.hookimpl(tryfirst=True)  # Hypothesis itself then loads what the command line names
def pytest_configure(config: pytest.Config) -> None:
    settings.register_profile(OTHERS, settings.get_profile(SAME), derandomize=False)
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile(SAME)
        pytest.MonkeyPatch().setattr(providers, "_get_local_constants", Constants)


def with_a_database(examples: int) -> settings:
    """For a property whose examples share the database of their test: each takes back what it
    wrote, or adds what is in nobody's way."""
    shared = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    return settings(max_examples=examples, suppress_health_check=shared)
