"""Lists of calls and sessions filtered by contract and period through the URL."""

import html
import re
from datetime import UTC, datetime, timedelta

import pytest

from governance.delivery import news
from tests.governance.serving import TEXT, deployed
from tests.outcomes.pages import a_denied_item, an_item

OTHER = TEXT + "\n# another\n"


@pytest.fixture(autouse=True)
def _nobody_connected(monkeypatch):
    monkeypatch.setattr(news, "connected", lambda _: [])


def ago(**time: float) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat()


@pytest.fixture
def traffic(project, agent) -> None:
    """New and old calls under two versions of one contract, another contract, and none."""
    first, second = deployed(project), deployed(project, OTHER)
    other = deployed(project, name="other")
    agent.post(
        an_item("s-1", call_id="first", policy_version=first.revision_hash, timestamp=ago(days=3)),
        an_item("s-2", call_id="second", policy_version=second.revision_hash),
        a_denied_item("s-2", call_id="denied", policy_version=second.revision_hash),
        a_denied_item(
            "s-1", call_id="long-ago", policy_version=first.revision_hash, timestamp=ago(days=2)
        ),
        a_denied_item("s-3", call_id="elsewhere", policy_version=other.revision_hash),
        an_item("s-4", call_id="ungoverned"),
    )


def shown(pages, path: str, **query: str) -> set[str]:
    body = pages.get(path, **query).content.decode()
    return set(re.findall(rf'class="row-link mono" href="{pages.base}/{path}([^/]+)/', body))


@pytest.mark.usefixtures("traffic")
@pytest.mark.parametrize(
    ("query", "calls"),
    [
        ({"contract": "d"}, {"first", "second", "denied", "long-ago"}),
        ({"contract": "d", "version": "1"}, {"first", "long-ago"}),
        ({"contract": "d", "show": "denied"}, {"denied", "long-ago"}),
        ({"contract": "unheard-of"}, set()),
        ({"version": "1"}, {"first", "second", "denied", "long-ago", "elsewhere", "ungoverned"}),
        ({"contract": "d", "version": "9" * 10}, {"first", "second", "denied", "long-ago"}),
        ({"from": "nonsense", "contract": "other"}, {"elsewhere"}),
    ],
)
def test_calls_can_be_filtered_by_contract_and_version(pages, query, calls):
    assert shown(pages, "calls/", range="all", **query) == calls


@pytest.mark.usefixtures("traffic")
def test_calls_and_sessions_can_be_filtered_by_period(pages):
    day = {"from": ago(days=1)[:16] + "Z"}
    assert shown(pages, "calls/", **day) == {"second", "denied", "elsewhere", "ungoverned"}
    assert shown(pages, "calls/", to=day["from"]) == {"first", "long-ago"}
    assert shown(pages, "sessions/", **day) == {"s-2", "s-3", "s-4"}
    assert shown(pages, "sessions/", to=day["from"], contract="d") == {"s-1"}
    assert "No sessions match these filters." in pages.text("sessions/", contract="none")


@pytest.mark.usefixtures("traffic")
def test_sessions_can_be_filtered_by_the_contract_of_their_last_call(pages):
    assert shown(pages, "sessions/", range="all", contract="d") == {"s-1", "s-2"}
    assert shown(pages, "sessions/", contract="d", version="2") == {"s-2"}
    text = pages.text("sessions/", range="all", contract="d")
    assert "2 sessions, none hit a limit" in text
    assert "All 2" in text


@pytest.mark.usefixtures("traffic")
def test_the_denied_count_of_a_contract_links_to_exactly_these_calls(pages):
    part = pages.get("contracts/figures/", of="d").content.decode()
    (link,) = re.findall(r'<a href="([^"]*show=denied[^"]*)">1 call</a>', part)
    body = pages.client.get(html.unescape(link)).content.decode()
    assert "calls/denied/" in body
    assert body.count('<tr data-row="') == 1
    assert "Denied calls under d, newest first" in body


@pytest.mark.usefixtures("traffic")
def test_filters_of_a_list_are_carried_by_its_links_and_forms(pages, django_assert_max_num_queries):
    day = ago(days=1)[:16] + "Z"
    chosen = {"contract": "d", "version": "2", "from": day, "environment": "production"}
    for path in ("calls/", "sessions/"):
        with django_assert_max_num_queries(12):
            body = html.unescape(pages.get(path, **chosen).content.decode())
        links = re.findall(r'hx-get="([^"]*tag=[^"]*)"', body)
        links += re.findall(r'<a href="([^"]*)"[^>]*>\s*(?:Denied|Ended)', body)
        assert len(links) >= 2
        assert all("contract=d&version=2" in link and "from=" in link for link in links), links
        (out,) = re.findall(r'<a class="pill outlined" href="([^"]*)">\s*<code>d v2</code>', body)
        assert "contract" not in out
        assert "from=" in out
        assert "environment=production" in out
        assert 'name="contract" value="d"' in body
        assert 'name="version" inputmode="numeric" pattern="[0-9]*" value="2"' in body
    names = pages.get("live/contracts/").content.decode()
    assert 'value="d"' in names
    assert 'value="other"' in names


@pytest.mark.usefixtures("traffic")
def test_the_api_has_the_same_filters(reader):
    def keys_of(path: str, listed: str, key: str) -> set[str]:
        return {row[key] for row in reader.get(f"/v1/{path}").json()[listed]}

    calls = keys_of("outcomes?contract=d&version=1", "outcomes", "call_id")
    assert calls == {"first", "long-ago"}
    sessions = keys_of("agent-sessions?contract=d&type=denied", "sessions", "session_id")
    assert sessions == {"s-1", "s-2"}
    assert reader.get("/v1/outcomes?version=1").status_code == 422
