"""The session store for keys bound to some agents: access only to their own sessions."""

from datetime import UTC, datetime, timedelta

import pytest

from outcomes.models import SessionOwner, StoredValue
from outcomes.session_store.commands.owners import forget_owners
from outcomes.sessions.commands.counters import remove_idle_values
from tests import builders
from tests.builders import an_outcome
from tests.outcomes.posting import Agent
from tests.outcomes.session_store.test_session_store import Store

FOREIGN = "s:victim:attempts"


@pytest.fixture
def key_for(project):
    return lambda glob: builders.a_key(project, "agent", agent=glob)[0]


@pytest.fixture
def mine(key_for) -> Store:
    return Store(key_for("bot-a*"))


@pytest.fixture
def unbound(key_for) -> Store:
    return Store(key_for(""))


def post(key: str, session: str, *agents: str) -> None:
    items = [an_outcome(agent_id=agent, session_id=session) for agent in agents]
    Agent(builders.bearing(key)).post(*items)


def refused(store: Store, key: str) -> bool:
    """Whether every request for a key is rejected without changing anything."""
    before = list(StoredValue.objects.order_by("key").values())
    answers = [
        store.ask("GET", key),
        store.ask("PUT", key, {"value": "9"}),
        store.ask("DELETE", key),
        store.ask("POST", f"{key}/increment", {"amount": 1_000_000_000}),
        store.ask("POST", "batch", {"keys": ["s:own:attempts", key]}),
    ]
    assert list(StoredValue.objects.order_by("key").values()) == before
    codes = {(status, answer.get("code")) for status, answer in answers}
    return codes == {(403, "foreign_session")}


@pytest.mark.parametrize("owner", ["", "bot-b*"])
def test_a_bound_key_cannot_access_a_session_started_by_another_key(key_for, mine, owner):
    Store(key_for(owner)).increment(FOREIGN)
    for key in (FOREIGN, "s:victim:tool:shell", "s:victim:workflow:deploy:state", "s:victim:other"):
        assert refused(mine, key)


def test_a_bound_key_can_count_and_read_in_its_own_session(mine):
    assert mine.batch("s:own:attempts", "s:own:execs") == {}
    assert mine.increment("s:own:attempts") == 1
    assert mine.increment("s:own:attempts") == 2
    assert mine.put("s:own:workflow:deploy:state", "{}") == 200
    assert mine.batch("s:own:attempts", "s:own:execs") == {"s:own:attempts": "2"}
    assert mine.delete("s:own:workflow:deploy:state") == 200


def test_another_key_for_the_same_agents_can_continue_their_session(key_for, mine):
    mine.increment("s:own:attempts")
    assert Store(key_for("bot-a*")).increment("s:own:attempts") == 2


def test_a_key_without_a_session_belongs_to_its_first_writer(key_for, unbound, mine):
    assert unbound.put("budget", "1") == 200
    assert refused(mine, "budget")
    assert mine.increment("own budget") == 1
    assert mine.value("own budget") == "1"
    assert refused(Store(key_for("bot-b*")), "own budget")


def test_a_session_in_use_keeps_its_owner(mine):
    mine.increment("own budget")
    SessionOwner.objects.update(used_on=datetime.now(UTC).date() - timedelta(days=40))
    forget_owners()
    assert mine.increment("own budget") == 2
    remove_idle_values()
    forget_owners()
    assert mine.increment("own budget") == 3


def test_calls_of_its_agents_give_a_bound_key_access_to_the_session(key_for, unbound, mine):
    unbound.increment("s:shared:attempts")
    post(key_for(""), "shared", "bot-b1", "bot-a1")
    assert mine.increment("s:shared:attempts") == 2
    assert mine.value("s:shared:attempts") == "2"


def test_a_session_with_calls_of_its_agents_only_belongs_to_a_bound_key(key_for, unbound, mine):
    unbound.increment("s:shared:attempts")
    post(key_for("bot-a*"), "shared", "bot-a1", "bot-a2")
    assert mine.increment("s:shared:attempts") == 2


@pytest.mark.parametrize("owner", ["", "bot-b*"])
def test_a_bound_key_cannot_gain_access_by_reporting_calls(key_for, mine, owner):
    key = key_for(owner)
    Store(key).increment(FOREIGN)
    post(key, "victim", "bot-b1")
    post(key_for("bot-a*"), "victim", "bot-a1")
    assert refused(mine, FOREIGN)
    assert Store(key).increment(FOREIGN) == 2


def test_a_bound_key_cannot_start_a_session_with_calls_of_other_agents(key_for, mine):
    post(key_for(""), "victim", "bot-b1")
    assert refused(mine, FOREIGN)


def test_reading_does_not_start_a_session(mine, unbound):
    assert mine.value("s:free:attempts") == 404
    assert unbound.increment("s:free:attempts") == 1
    assert refused(mine, "s:free:attempts")


def test_the_owner_of_a_session_is_removed_with_its_idle_keys(mine):
    mine.increment("s:own:attempts")
    long_ago = datetime.now(UTC).date() - timedelta(days=40)
    SessionOwner.objects.update(used_on=long_ago)
    remove_idle_values()
    assert SessionOwner.objects.count() == 1
    StoredValue.objects.update(used_on=long_ago)
    remove_idle_values()
    assert SessionOwner.objects.count() == 0
