"""The session store for keys that are bound to some agents: their own sessions, and no other."""

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
    """Whether every way to a key is refused, and nothing of it changes."""
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
def test_a_bound_key_reaches_no_key_of_a_session_that_another_key_began(key_for, mine, owner):
    Store(key_for(owner)).increment(FOREIGN)
    for key in (FOREIGN, "s:victim:tool:shell", "s:victim:workflow:deploy:state", "s:victim:other"):
        assert refused(mine, key)


def test_a_bound_key_counts_and_reads_in_a_session_that_it_began(mine):
    assert mine.batch("s:own:attempts", "s:own:execs") == {}
    assert mine.increment("s:own:attempts") == 1
    assert mine.increment("s:own:attempts") == 2
    assert mine.put("s:own:workflow:deploy:state", "{}") == 200
    assert mine.batch("s:own:attempts", "s:own:execs") == {"s:own:attempts": "2"}
    assert mine.delete("s:own:workflow:deploy:state") == 200


def test_another_key_for_the_same_agents_goes_on_with_their_session(key_for, mine):
    mine.increment("s:own:attempts")
    assert Store(key_for("bot-a*")).increment("s:own:attempts") == 2


def test_a_key_of_no_session_is_its_first_writers(key_for, unbound, mine):
    assert unbound.put("budget", "1") == 200
    assert refused(mine, "budget")
    assert mine.increment("own budget") == 1
    assert mine.value("own budget") == "1"
    assert refused(Store(key_for("bot-b*")), "own budget")


def test_who_uses_a_session_goes_on_owning_it(mine):
    mine.increment("own budget")
    SessionOwner.objects.update(used_on=datetime.now(UTC).date() - timedelta(days=40))
    forget_owners()
    assert mine.increment("own budget") == 2
    remove_idle_values()
    forget_owners()
    assert mine.increment("own budget") == 3


def test_the_calls_of_its_agents_open_a_session_to_a_bound_key(key_for, unbound, mine):
    unbound.increment("s:shared:attempts")
    post(key_for(""), "shared", "bot-b1", "bot-a1")
    assert mine.increment("s:shared:attempts") == 2
    assert mine.value("s:shared:attempts") == "2"


def test_a_session_with_calls_of_its_agents_alone_is_theirs(key_for, unbound, mine):
    unbound.increment("s:shared:attempts")
    post(key_for("bot-a*"), "shared", "bot-a1", "bot-a2")
    assert mine.increment("s:shared:attempts") == 2


@pytest.mark.parametrize("owner", ["", "bot-b*"])
def test_a_bound_key_reports_no_way_into_a_session_of_others(key_for, mine, owner):
    key = key_for(owner)
    Store(key).increment(FOREIGN)
    post(key, "victim", "bot-b1")
    post(key_for("bot-a*"), "victim", "bot-a1")
    assert refused(mine, FOREIGN)
    assert Store(key).increment(FOREIGN) == 2


def test_a_session_of_other_agents_calls_is_not_begun_by_a_bound_key(key_for, mine):
    post(key_for(""), "victim", "bot-b1")
    assert refused(mine, FOREIGN)


def test_to_read_begins_no_session(mine, unbound):
    assert mine.value("s:free:attempts") == 404
    assert unbound.increment("s:free:attempts") == 1
    assert refused(mine, "s:free:attempts")


def test_the_owner_of_a_session_goes_with_its_idle_keys(mine):
    mine.increment("s:own:attempts")
    long_ago = datetime.now(UTC).date() - timedelta(days=40)
    SessionOwner.objects.update(used_on=long_ago)
    remove_idle_values()
    assert SessionOwner.objects.count() == 1
    StoredValue.objects.update(used_on=long_ago)
    remove_idle_values()
    assert SessionOwner.objects.count() == 0
