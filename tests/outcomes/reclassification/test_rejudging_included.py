"""A preview uses the pinned includes of a check, for a draft as for a version."""

from governance.checks.commands.checks import save_check
from governance.core.actor import CONSOLE
from outcomes.reclassification.commands.jobs import start_check_backtest
from outcomes.recorded_calls.selection import CallCriteria
from tests import builders
from tests.governance.naming import FAILS, a_check, check_text
from tests.outcomes.backtests import EDITOR
from tests.outcomes.rejudging import tried
from tests.outcomes.waiting_jobs import run_waiting_parts


def test_included_checks_are_evaluated_at_their_pinned_version(project, agent):
    agent.post(builders.an_outcome(output={"ok": False}))
    a_check(project, FAILS, name="base")
    text = check_text(include=("base",))
    save_check(project, document=text, by=CONSOLE)
    a_check(project, FAILS.replace("not-ok", "mended"), name="base")
    assert "base/not-ok" in str(tried(project, text).result)
    save_check(project, document=text + "# two\n", newer=["base"], by=CONSOLE)
    assert "base/mended" in str(tried(project, text).result)
    by_version = start_check_backtest(
        project.pk, by=EDITOR, text=text, scope="all", criteria=CallCriteria(), version=1
    )
    run_waiting_parts()
    by_version.refresh_from_db()
    assert "base/not-ok" in str(by_version.result)
