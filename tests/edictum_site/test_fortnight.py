"""Two weeks of simulated agents: reproducible, with every incident."""

import random
from datetime import UTC, datetime

from edictum_site.demo.fleet import FLEET
from edictum_site.demo.fortnight import DAYS, NIGHTS, day_begins, planned
from edictum_site.demo.person import BOUND, DEPLOYED, DOCUMENTS, SAVED

NOW = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)


def sessions(seed=7, share=1.0):
    return planned(NOW, random.Random(seed), share)  # noqa: S311 - the same each time


def test_the_same_seed_generates_the_same_sessions():
    assert sessions() == sessions()
    assert sessions(8) != sessions(7)


def test_every_session_starts_within_the_two_weeks():
    assert all(day_begins(NOW, 0) <= each.at < NOW for each in sessions())


def test_session_names_are_unique():
    names = [each.session for each in sessions()]
    assert len(names) == len(set(names))


def test_a_small_demo_also_contains_every_incident():
    small = sessions(share=0.02)
    assert {each.agent for each in small} <= set(FLEET)
    assert {"deploy-night", "reminders-1", "reminders-2", "refunds-2"} <= {
        each.session for each in small
    }
    assert {each.agent for each in sessions()} == set(FLEET)


def test_the_largest_import_has_thousands_of_rows():
    assert max(each.amount for each in sessions() if each.agent == "import-bot") == max(
        NIGHTS.values()
    )


def test_scripted_changes_use_existing_contracts_and_are_within_two_weeks():
    assert max(*DEPLOYED, *SAVED) < DAYS
    named = {f"{bundle}-{number}" for each in DEPLOYED.values() for bundle, number, _ in each}
    named |= {f"services-{number}" for number, _ in SAVED.values()}
    assert {each.name.removesuffix(".yaml") for each in DOCUMENTS.iterdir()} == named
    tools = {tool for profile in FLEET.values() for tool in profile.tools}
    assert set(BOUND) <= tools
