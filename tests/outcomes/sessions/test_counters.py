"""Counters of a session: concurrent increments, reset by an operator, and removal when idle."""

from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.utils import timezone

from governance.alerts.queries import open_alerts
from governance.core.roles import Role
from governance.models import AuditEntry
from governance.people.auth.access import access_of_key
from outcomes.database.statements import run_query
from outcomes.models import StoredValue
from outcomes.session_store.commands.increments import Increment, increment_all
from outcomes.session_store.commands.session_store import count_up, put_value
from outcomes.sessions.commands.counters import remove_idle_values
from tests import builders
from tests.outcomes.pages import an_item, text_of
from tests.outcomes.session_store.test_session_store import Store
from tests.outcomes.settling.test_settle_together import in_threads

ATTEMPTS, CONSEC_FAIL, STATE = "s:s-1:attempts", "s:s-1:consec_fail", "s:s-1:workflow:w:state"


@pytest.fixture
def store(project):
    return Store(builders.a_key(project)[0])


@pytest.fixture
def counted(agent, store):
    """Store of an agent that has counted in two recorded sessions."""
    agent.post(an_item("s-1"), an_item("s-10"))
    for key in (ATTEMPTS, CONSEC_FAIL, "s:s-1:tool:look up", "s:s-10:attempts"):
        store.increment(key, 4)
    store.put(STATE, "{}")
    return store


def reset_address(project, session="s-1"):
    query = urlencode({"of": session, "environment": "production"})
    return f"/p/{project.slug}/reset-session/?{query}"


@pytest.mark.django_db(transaction=True)
def test_concurrent_single_and_batched_increments_are_all_counted():
    key = builders.a_key(builders.a_project())[1]
    access = access_of_key(key)
    seen: list[float | None] = []

    def singly():
        for _ in range(60):
            seen.append(count_up("s:a:attempts", 1, access=access))

    def together():
        for _ in range(30):
            increments = [Increment(name, 1, access) for name in ("s:a:attempts", "s:a:execs") * 2]
            first, _, second, _ = run_query(increment_all(increments))
            seen.extend([first, second])

    in_threads(singly, together, singly, together)
    assert sorted(filter(None, seen)) == list(range(1, 241))
    assert StoredValue.objects.get(key="s:a:execs").number == 120


def test_batched_increments_equal_sequential_ones(project):
    access = access_of_key(builders.a_key(project)[1])
    put_value("text", "words", access=access)
    names = ["a", "b", "a", "text", "a", "b"]
    increments = [Increment(name, amount, access) for amount, name in enumerate(names, 1)]
    assert run_query(increment_all(increments)) == [1, 2, 4, None, 9, 8]


def test_an_operator_can_reset_the_counters_of_a_session(project, counted, client_as):
    operator = client_as(Role.OPERATOR)
    page = operator.get(f"/p/{project.slug}/sessions/s-1/")
    assert reset_address(project).replace("&", "&amp;") in page.text
    page = text_of(operator.get(reset_address(project)))
    assert "Reset the counters of this session?" in page
    assert "Executions of look up 4" in page
    answer = operator.post(reset_address(project), follow=True)
    assert "Counters reset." in text_of(answer)
    assert counted.batch(ATTEMPTS, CONSEC_FAIL, "s:s-1:tool:look up") == {}
    assert counted.batch(STATE, "s:s-10:attempts") == {STATE: "{}", "s:s-10:attempts": "4"}
    assert counted.increment(ATTEMPTS) == 1
    entry = AuditEntry.objects.get(action="reset a session")
    assert (entry.subject, entry.details["attempts"], entry.details["tools"]) == ("s-1", "4", 1)


def test_a_session_without_counters_has_nothing_to_reset(project, agent, client_as):
    agent.post(an_item("s-1"))
    operator = client_as(Role.OPERATOR)
    assert "This session has no counters." in text_of(operator.get(reset_address(project)))
    answer = operator.post(reset_address(project), follow=True)
    assert "No counters to reset." in text_of(answer)
    assert not AuditEntry.objects.filter(action="reset a session").exists()


def test_a_viewer_cannot_reset_counters(project, counted, client_as):
    page = client_as(Role.VIEWER).get(f"/p/{project.slug}/sessions/s-1/")
    assert "Reset counters" not in page.text
    assert counted.value(ATTEMPTS) == "4"


def test_a_reset_does_not_affect_the_same_session_in_another_environment(
    project, counted, client_as
):
    staging = Store(builders.a_key(project, env="staging")[0])
    staging.increment(ATTEMPTS, 7)
    client_as(Role.OPERATOR).post(reset_address(project))
    assert staging.value(ATTEMPTS) == "7"


def test_a_reset_resolves_alerts_about_attempts_to_lower_its_counters(project, counted, client_as):
    counted.increment("s:s-10:attempts", 2)
    for key in (ATTEMPTS, "s:s-10:attempts", "s:never:attempts"):
        counted.increment(key, -1)
    links = {finding.subject: finding.link for finding in open_alerts(project)}
    assert links == {
        "production: s:s-1:attempts": f"/p/{project.slug}/sessions/s-1/?environment=production",
        "production: s:s-10:attempts": f"/p/{project.slug}/sessions/s-10/?environment=production",
        "production: s:never:attempts": f"/p/{project.slug}/settings/keys/",
    }
    client_as(Role.OPERATOR).post(reset_address(project))
    left = {finding.subject for finding in open_alerts(project)}
    assert left == links.keys() - {"production: s:s-1:attempts"}


def last_used(days, *keys):
    day = timezone.now().date() - timedelta(days=days)
    StoredValue.objects.filter(key__in=keys).update(used_on=day)


def test_values_idle_for_thirty_days_are_removed_and_their_outcomes_remain(project, counted, agent):
    counted.put("free", "x")
    last_used(31, "s:s-10:attempts", "free")
    assert remove_idle_values() == 2
    assert counted.batch("s:s-10:attempts", "free") == {}
    assert agent.session("s-10")["counts"]["attempts"] == 1
    entry = AuditEntry.objects.get(action="idle session keys removed")
    assert entry.subject == "2 not written for 30 days"
    assert entry.details == {"environment": "production", "keys": 2}


def test_no_counter_of_a_session_in_use_is_removed(counted):
    last_used(31, CONSEC_FAIL, STATE, "s:s-1:tool:look up")
    last_used(30, ATTEMPTS)
    assert remove_idle_values() == 0
    last_used(31, ATTEMPTS)
    assert remove_idle_values() == 4


def test_increments_change_no_indexed_column(store):
    """Otherwise each increment would also write to every index."""
    with connection.cursor() as cursor:
        constraints = connection.introspection.get_constraints(cursor, "outcomes_storedvalue")
    indexed = {
        column
        for constraint in constraints.values()
        if constraint["index"]
        for column in constraint["columns"]
    }
    assert indexed <= {"environment_id", "digest", "session"}
