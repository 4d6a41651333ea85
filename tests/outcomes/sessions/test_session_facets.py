"""Each value of a filter is counted under the other filters, as if one had chosen it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcomes.sessions.domain.facets import Chosen, Facets, Group, facets_of

names = st.sampled_from(["a", "b"])
versions = st.sampled_from([None, ("billing", 1), ("billing", 2), ("ops", 1)])
states = st.sampled_from(["running", "waiting", "stopped", "ended"])
groups = st.lists(
    st.builds(
        Group, names, names, versions, states, st.booleans(), st.sampled_from(["", "cap"]),
        st.integers(0, 7), st.integers(1, 5),
    ),
    max_size=12,
)  # fmt: skip
chosen = st.builds(
    Chosen,
    environment=st.sampled_from(["", "a", "b"]),
    agent=st.sampled_from(["", "a"]),
    contract=st.sampled_from(["", "billing"]),
    version=st.sampled_from([None, 1]),
    state=st.sampled_from(["", "stopped"]),
    limit=st.sampled_from(["", "cap"]),
    has=st.sampled_from([0, 1, 3]),
)


def shown(told: list[Group], wanted: Chosen) -> int:
    return sum(group.sessions for group in told if is_shown(group, wanted))


def is_shown(group: Group, wanted: Chosen) -> bool:
    contract, number = group.version or ("", None)
    return (
        wanted.environment in ("", group.environment)
        and wanted.agent in ("", group.agent)
        and wanted.contract in ("", contract)
        and (not wanted.contract or wanted.version in (None, number))
        and wanted.state in ("", group.state)
        and wanted.limit in ("", group.limit)
        and not wanted.has & ~group.has
    )


@given(groups, chosen)
def test_the_count_beside_a_value_is_what_the_list_shows_when_it_is_chosen(told, wanted):
    found = facets_of(told, wanted)
    assert found.shown == shown(told, wanted)
    assert found.all == shown(told, replace(wanted, state=""))
    for group in told:
        environment = replace(wanted, environment=group.environment)
        assert found.environments[group.environment] == shown(told, environment)
        assert found.agents[group.agent] == shown(told, replace(wanted, agent=group.agent))
        assert found.states[group.state] == shown(told, replace(wanted, state=group.state))
        if group.version is not None:
            contract, number = group.version
            other = replace(wanted, contract=contract, version=number)
            assert found.versions[group.version] == shown(told, other)
        if group.limit:
            assert found.limits[group.limit] == shown(told, replace(wanted, limit=group.limit))
    for bit in (1, 2, 4):
        assert found.has[bit] == shown(told, replace(wanted, has=wanted.has | bit))


@pytest.mark.parametrize("state", ["", "stopped"])
def test_how_many_were_stopped_too_early_is_told_whatever_state_is_shown(state):
    told = [
        Group("a", "a", None, "stopped", True, "cap", 0, 3),  # noqa: FBT003 - the columns in order
        Group("a", "a", None, "ended", False, "", 0, 4),  # noqa: FBT003
    ]
    assert facets_of(told, Chosen(state=state)).premature == 3
    assert facets_of([], Chosen(state=state)) == Facets()
