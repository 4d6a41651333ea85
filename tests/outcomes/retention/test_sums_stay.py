"""Retention never changes a rollup, whatever the recorded calls, holds and rules."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from governance.core.actor import CONSOLE
from outcomes.figures.commands.rolling_up import roll_up
from outcomes.figures.queries.stats import figures_by
from outcomes.holds.commands import hold_session, lift_hold
from outcomes.models import Call, GroupRollup, Hold, Rollup, RollupChange, RollupMinute, Session
from outcomes.retention.commands import calls
from outcomes.retention.commands.rules import set_rule
from outcomes.retention.domain import Kind
from outcomes.stored.queries import CallFilter
from tests.outcomes.pages import a_moment, an_item
from tests.outcomes.retention.later import carried_out, days_later

ITEMS = st.lists(
    st.fixed_dictionaries(
        {
            "session": st.sampled_from(["s-1", "s-2", "s-3", None]),
            "agent_id": st.sampled_from(["bot", "mail"]),
            "tool_name": st.sampled_from(["query", "send"]),
            "output": st.sampled_from([{"ok": True}, "Error: no", "Error: other", None]),
            "type": st.sampled_from(["execution_result", "denied", "timeout"]),
            "elapsed_ms": st.sampled_from([None, 3, 900]),
            "days_ago": st.integers(0, 40),
        }
    ),
    min_size=1,
    max_size=12,
)


def everything():
    """All rollups as they are stored."""
    while roll_up():
        pass
    assert not RollupChange.objects.exists()
    return [
        sorted(model.objects.values_list(*(field.attname for field in model._meta.fields)))
        for model in (Rollup, RollupMinute, GroupRollup)
    ]


def item_of(example):
    at = a_moment() - timedelta(days=example["days_ago"])
    fields = {name: value for name, value in example.items() if name not in ("session", "days_ago")}
    if fields["type"] == "denied":
        fields |= {"reason": "contract", "output": None, "tool_success": None}
    return an_item(example["session"], timestamp=at.isoformat(), **fields)


@pytest.mark.slow
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(items=ITEMS, held=st.booleans(), at_once=st.integers(1, 5), keep=st.integers(7, 60))
def test_retention_never_changes_a_rollup(project, agent, items, held, at_once, keep):
    agent.post(*map(item_of, items))
    before = everything()
    rates = figures_by(project.pk, "tool", CallFilter(), durations=True)
    for hold in Hold.objects.all():
        lift_hold(project, hold.pk, by=CONSOLE)
    if held and (session := Session.objects.filter(attempts__gt=0).first()):
        hold_session(session, reason="", by=CONSOLE)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(calls, "CALLS", at_once)
        set_rule(project, kind=Kind.PAYLOADS, days=7, env="", by=CONSOLE)
        set_rule(project, kind=Kind.CALLS, days=keep, env="", by=CONSOLE)
        days_later(patched, keep + 1)
        carried_out(project)
    assert everything() == before
    assert figures_by(project.pk, "tool", CallFilter(), durations=True) == rates
    left = set(Call.objects.values_list("session", flat=True))
    assert left == set(Hold.objects.values_list("session", flat=True))
