"""The two weeks of the simulated agents: the same each time, and with everything to be found."""

import random
from datetime import UTC, datetime

from edictum_site.demo.fleet import FLEET
from edictum_site.demo.fortnight import DAYS, NIGHTS, day_begins, planned
from edictum_site.demo.person import BOUND, DEPLOYED, DOCUMENTS, SAVED

NOW = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)


def sessions(seed=7, share=1.0):
    return planned(NOW, random.Random(seed), share)  # noqa: S311 - the same each time


def test_the_same_seed_gives_the_same_weeks():
    assert sessions() == sessions()
    assert sessions(8) != sessions(7)


def test_no_session_begins_before_the_two_weeks_or_after_now():
    assert all(day_begins(NOW, 0) <= each.at < NOW for each in sessions())


def test_each_session_has_a_name_of_its_own():
    names = [each.session for each in sessions()]
    assert len(names) == len(set(names))


def test_every_agent_works_and_every_incident_happens_in_a_small_demo_too():
    small = sessions(share=0.02)
    assert {each.agent for each in small} <= set(FLEET)
    assert {"deploy-night", "reminders-1", "reminders-2", "refunds-2"} <= {
        each.session for each in small
    }
    assert {each.agent for each in sessions()} == set(FLEET)


def test_one_night_brings_in_thousands():
    assert max(each.amount for each in sessions() if each.agent == "import-bot") == max(
        NIGHTS.values()
    )


def test_what_a_person_does_is_written_down_and_lies_within_the_two_weeks():
    assert max(*DEPLOYED, *SAVED) < DAYS
    named = {f"{bundle}-{number}" for each in DEPLOYED.values() for bundle, number, _ in each}
    named |= {f"services-{number}" for number, _ in SAVED.values()}
    assert {each.name.removesuffix(".yaml") for each in DOCUMENTS.iterdir()} == named
    tools = {tool for profile in FLEET.values() for tool in profile.tools}
    assert set(BOUND) <= tools
