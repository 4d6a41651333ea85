"""Each filter value is counted as if it were chosen in addition to the other filters."""

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


def shown(groups: list[Group], chosen: Chosen) -> int:
    return sum(group.sessions for group in groups if is_shown(group, chosen))


def is_shown(group: Group, chosen: Chosen) -> bool:
    contract, number = group.version or ("", None)
    return (
        chosen.environment in ("", group.environment)
        and chosen.agent in ("", group.agent)
        and chosen.contract in ("", contract)
        and (not chosen.contract or chosen.version in (None, number))
        and chosen.state in ("", group.state)
        and chosen.limit in ("", group.limit)
        and not chosen.has & ~group.has
    )


@given(groups, chosen)
def test_each_filter_count_equals_the_rows_listed_with_that_filter(groups, chosen):
    facets = facets_of(groups, chosen)
    assert facets.shown == shown(groups, chosen)
    assert facets.all == shown(groups, replace(chosen, state=""))
    for group in groups:
        environment = replace(chosen, environment=group.environment)
        assert facets.environments[group.environment] == shown(groups, environment)
        assert facets.agents[group.agent] == shown(groups, replace(chosen, agent=group.agent))
        assert facets.states[group.state] == shown(groups, replace(chosen, state=group.state))
        if group.version is not None:
            contract, number = group.version
            other = replace(chosen, contract=contract, version=number)
            assert facets.versions[group.version] == shown(groups, other)
        if group.limit:
            assert facets.limits[group.limit] == shown(groups, replace(chosen, limit=group.limit))
    for bit in (1, 2, 4):
        assert facets.has[bit] == shown(groups, replace(chosen, has=chosen.has | bit))


@pytest.mark.parametrize("state", ["", "stopped"])
def test_limits_hit_early_are_counted_whatever_the_chosen_state(state):
    groups = [
        Group("a", "a", None, "stopped", True, "cap", 0, 3),  # noqa: FBT003 - the columns in order
        Group("a", "a", None, "ended", False, "", 0, 4),  # noqa: FBT003
    ]
    assert facets_of(groups, Chosen(state=state)).premature == 3
    assert facets_of([], Chosen(state=state)) == Facets()
