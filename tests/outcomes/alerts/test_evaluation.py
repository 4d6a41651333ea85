"""Alerts about calls: opened from posted events, named, ranked, linked and resolved."""

from datetime import UTC, datetime, timedelta

import pytest

from governance.alerts.queries import open_alerts, resolved_alerts
from outcomes.alerts.commands import evaluate_alerts, evaluate_project
from outcomes.models import Batch, Suggestion
from outcomes.suggestions.commands.scans import request_scan, run_scan
from outcomes.suggestions.commands.suggestions import dismiss_suggestion
from tests import builders
from tests.outcomes.backtests import EDITOR
from tests.outcomes.pages import a_denied_item, an_item

FAILED = {"is_error": True}
SILENT = {"ok": False, "rows": []}


@pytest.fixture
def alerts(project):
    def evaluated():
        evaluate_project(project)
        return open_alerts(project)

    return evaluated


def ago(**time):
    return (datetime.now(UTC) - timedelta(**time)).isoformat()


def calls(tool, good, bad, output=FAILED, **fields):
    outputs = [{"ok": True}] * good + [output] * bad
    return [an_item(tool_name=tool, output=each, **fields) for each in outputs]


def loop(session="deploy-night", times=25, **fields):
    about = {"tool_name": "shell", "tool_args": {"command": "rm -rf build/"}, "agent_id": "bot"}
    denial = {"details": "Use the clean target.", **about, **fields}
    return [
        a_denied_item(session, timestamp=ago(minutes=10, seconds=-7 * number), **denial)
        for number in range(times)
    ]


def test_a_project_with_few_failures_has_no_alerts(agent, alerts):
    agent.post(*calls("crm", 20, 1))
    assert alerts() == []


def test_a_denial_loop_names_session_tool_agent_arguments_and_message(agent, alerts):
    agent.post(*loop())
    (alert,) = alerts()
    assert alert.title == "`deploy-night` got stuck: `shell` denied 25 times"
    assert alert.why == (
        '`bot`, production. Same arguments every 7.0 s: `command: "rm -rf build/"`.'
        " Use the clean target."
    )
    assert (alert.severity, alert.impact, alert.agent) == ("error", 25, "bot")
    assert alert.link.endswith("sessions/deploy-night/?environment=production#loop")


def test_secrets_in_arguments_and_messages_are_masked_in_alerts(agent, alerts):
    secret = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"
    args = {"password": "hunter2-hunter2", "id": 1}
    agent.post(*loop(tool_args=args, details=f"Denied with {secret}."))
    (alert,) = alerts()
    assert "hunter2" not in alert.why
    assert secret not in alert.why


def test_an_ongoing_loop_is_stuck_and_a_short_one_is_a_warning(agent, alerts):
    agent.post(*[a_denied_item("s-9", tool_args={"id": 7}) for _ in range(4)])
    (alert,) = alerts()
    assert alert.title == "`s-9` is stuck: `query` denied 4 times"
    assert alert.severity == "warning"


def test_many_sessions_stuck_on_one_tool_are_one_alert(agent, alerts):
    agent.post(*[item for number in range(7) for item in loop(f"s-{number}", times=3 + number)])
    (alert,) = alerts()
    assert alert.title == "7 sessions of `bot` got stuck on `shell`"
    assert "denied 42 times, most in `s-6`: 9 times." in alert.why
    assert "/denials/?range=24h&environment=production&agent=bot" in alert.link


def test_a_tool_whose_rate_dropped_is_an_alert_with_rates_agent_and_top_error(agent, alerts, pages):
    agent.post(
        *calls("crm", 60, 0, timestamp=ago(hours=30)),
        *calls("crm", 20, 0, agent_id="support-bot"),
        *[
            an_item(
                type="failure",
                tool_name="crm",
                agent_id="support-bot",
                error="upstream timeout",
                output=None,
                tool_success=None,
            )
            for _ in range(20)
        ],
    )
    (alert,) = alerts()
    assert alert.title == "`crm` fell to 50.0 % from 100.0 %: 20 of 40 calls failed"
    assert alert.why == (
        "`support-bot`, production. 20 times: upstream timeout. Previous 24 h: 60 of 60 succeeded."
    )
    rows = pages.client.get(alert.link).content.decode()
    assert rows.count('<tr data-row="') == 20


def test_a_drop_over_few_calls_opens_no_alert(agent, alerts):
    agent.post(*calls("crm", 0, 3), *calls("crm", 40, 0, timestamp=ago(hours=30)))
    assert alerts() == []


def test_suspected_failures_are_an_error_with_both_rates(project, agent, alerts):
    agent.post(*calls("warehouse", 18, 12, SILENT, agent_id="stock-bot"))
    run_scan(request_scan(project.pk).pk)
    (alert,) = alerts()
    assert alert.title == "12 of 30 `warehouse` outputs look like failures"
    assert alert.why == (
        "`stock-bot`, production. They have `ok: false` and count as success."
        " Success is 100.0 % now, 60.0 % if they failed."
    )
    assert alert.severity == "error"
    dismiss_suggestion(project.pk, Suggestion.objects.get().pk, by=EDITOR)
    assert alerts() == []


def test_suspected_failures_older_than_a_day_are_a_warning(project, agent, alerts):
    agent.post(*calls("warehouse", 18, 12, SILENT, timestamp=ago(hours=50)))
    run_scan(request_scan(project.pk).pk)
    (alert,) = alerts()
    assert alert.title == "12 of the newest 30 `warehouse` outputs look like failures"
    assert alert.why == "They have `ok: false` and count as success."
    assert alert.severity == "warning"


def test_failed_batches_are_an_alert_with_their_error(project, agent, alerts):
    agent.post(an_item())
    builders.a_batch(
        project, items=50, error="no space left on the device", set_aside_at=datetime.now(UTC)
    )
    (alert,) = alerts()
    assert alert.title == "1 failed batch: 50 events not processed"
    assert alert.why.startswith("no space left on the device. ")
    Batch.objects.all().delete()
    assert alerts() == []


def test_the_silent_failure_with_the_most_calls_is_first(project, agent, alerts):
    agent.post(*loop(times=25), *calls("warehouse", 0, 60, SILENT))
    run_scan(request_scan(project.pk).pk)
    assert ["outputs" in each.title for each in alerts()] == [True, False]


def test_an_alert_is_resolved_when_its_cause_ends(project, agent, alerts):
    agent.post(*loop())
    for _ in range(2):
        assert len(alerts()) == 1
    evaluate_project(project, datetime.now(UTC) + timedelta(hours=25))
    assert open_alerts(project) == []
    assert len(resolved_alerts(project)) == 1


def test_the_periodic_check_skips_unchanged_projects(project, agent, django_assert_max_num_queries):
    agent.post(*loop())
    evaluate_alerts()
    assert len(open_alerts(project)) == 1
    with django_assert_max_num_queries(5):
        evaluate_alerts()


def test_alerts_of_another_project_are_not_opened(project, agent, alerts):
    other = builders.a_project("other")
    builders.an_environment(other)
    agent.post(*loop())
    evaluate_project(other)
    assert open_alerts(other) == []
    assert len(alerts()) == 1
