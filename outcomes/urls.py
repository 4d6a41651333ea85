"""URLs of outcomes: sessions, calls, artifacts and other data that agents report."""

from django.urls import URLPattern, URLResolver, include, path, register_converter

from outcomes.agents.views import activity as agent_activity
from outcomes.agents.views import agents
from outcomes.agents.views import rollout as taking
from outcomes.alerts import views as alerts
from outcomes.approvals import views as approvals
from outcomes.artifacts.views import artifact, artifacts
from outcomes.artifacts.views import list as artifact_list
from outcomes.backtesting.views import backtests, changed_calls, newest_backtest
from outcomes.calls.views import call, calls, contract_calls
from outcomes.calls.views import difference as call_difference
from outcomes.calls.views import rules as call_rules
from outcomes.check_editor.views import (
    check_bindings,
    check_editor,
    check_for_call,
    recorded_results,
)
from outcomes.contract_pages.views import contract_editor, contracts, observed, recent_calls
from outcomes.denials.views import denials
from outcomes.denials.views import rule as denials_rule
from outcomes.hosts import views as hosts
from outcomes.ingest import views as inbox
from outcomes.masking.views import opening
from outcomes.masking.views import rules as masking
from outcomes.overview import views as overview
from outcomes.principals import views as principals
from outcomes.reclassification.views import disagreements, past_calls, two_versions
from outcomes.reclassification.views import jobs as rejudging
from outcomes.retention import views as retention
from outcomes.sessions.views import actions, compare_sessions, saved_views, session, sessions
from outcomes.sessions.views import parts as session_parts
from outcomes.suggestions import views as suggestions
from outcomes.tools.views import calls as tool_calls
from outcomes.tools.views import group, targets, tool, tools
from outcomes.tools.views import groups as tool_groups
from outcomes.tools.views import results as tool_results
from outcomes.traces import views as traces
from outcomes.web.api import Rest

register_converter(Rest, "identifier")
app_name = "outcomes"

# Parts of pages that refresh themselves, under one prefix since an id may be any word.
live = [
    path("tools/", contract_calls.tool_options, name="tool_options"),
    path("argument-fields/", recent_calls.argument_fields, name="argument_fields"),
    path("argument-lines/", recent_calls.argument_lines, name="argument_lines"),
    path("contracts/", contract_calls.contract_options, name="contract_options"),
    path("overview/", overview.live_overview, name="overview_standing"),
    path("denials/", denials.live_denials, name="denials_standing"),
    path("tools-standing/", tools.live_tools, name="tools_standing"),
    path("tool/", tool.live_tool, name="tool_standing"),
    path("tool-groups/", tool_groups.tool_groups, name="tool_groups"),
    path("tool-results/", tool_results.tool_results, name="tool_results"),
    path("tool-calls/", tool_calls.tool_calls, name="tool_calls"),
    path("agent-options/", agents.agent_options, name="agent_options"),
    path("sessions/", sessions.session_rows, name="session_rows"),
    path("principal-options/", principals.principal_options, name="principal_options"),
    path("saved-views/", saved_views.saved_view_choices, name="saved_view_choices"),
    path("session/", session.session_status, name="session_standing"),
    path("turn/", session_parts.turn, name="turn"),
    path("artifact/<str:sha256>/", session_parts.artifact_preview, name="artifact_preview"),
    path("artifacts/", artifact_list.artifact_rows, name="artifact_rows"),
    path("artifact-documents/", artifact.artifact_documents, name="artifact_documents"),
    path("calls/", calls.call_rows, name="call_rows"),
    path("call-rules/", call_rules.call_rules, name="call_rules"),
    path("call-difference/", call_difference.call_difference, name="call_difference"),
    path("approvals/", approvals.waiting_approvals, name="waiting_approvals"),
    path("agents/", agents.agent_rows, name="agent_rows"),
    path("agent/", agents.live_agent, name="agent_standing"),
    path("agent-activity/", agent_activity.agent_activity, name="agent_activity"),
    path("check-words/", check_editor.check_words, name="check_words"),
    path("contract-words/", contract_editor.words, name="contract_words"),
    path("taking/", taking.taking, name="taking"),
    path("look/", suggestions.scan_progress, name="look_standing"),
    path("suggestion/", suggestions.suggestion_part, name="suggestion_part"),
    path("check-bindings/", check_bindings.bindings_of_check, name="bindings_of_check"),
    path("past-calls/", past_calls.past_calls_part, name="past_calls"),
]
of_backtests = [
    path("text/", backtests.backtest_text, name="backtest_text"),
    path("panel/", backtests.backtest_panel, name="backtest_panel"),
    path("<int:backtest_id>/", backtests.backtest, name="backtest"),
    path("<int:backtest_id>/standing/", backtests.backtest_progress, name="backtest_standing"),
    path("<int:backtest_id>/calls/", changed_calls.calls_of_backtest, name="calls_of_backtest"),
    path("<int:backtest_id>/cancel/", backtests.cancel_backtest, name="cancel_backtest"),
    path("<int:backtest_id>/draft/", backtests.draft_of_backtest, name="draft_of_backtest"),
]
of_suggestions = [
    path("", suggestions.suggestions, name="suggestions"),
    path("look/", suggestions.scan_now, name="look_now"),
    path("<int:suggestion_id>/dismiss/", suggestions.dismiss_suggestion, name="dismiss_suggestion"),
    path(
        "<int:suggestion_id>/bring-back/",
        suggestions.bring_back_suggestion,
        name="bring_back_suggestion",
    ),
    path("<int:tool_id>/<str:built_in>/<str:rule_id>/", suggestions.suggestion, name="suggestion"),
]
of_checks = [
    path("backtests/text/", rejudging.check_backtest_text, name="check_backtest_text"),
    path("backtests/<int:check_backtest_id>/", rejudging.check_backtest, name="check_backtest"),
    path("c/<str:check_name>/backtests/", rejudging.check_backtests, name="check_backtests"),
    path("c/<str:check_name>/verdicts/", two_versions.check_verdicts, name="check_verdicts"),
    path("reclassifications/", rejudging.reclassifications, name="reclassifications"),
    path(
        "reclassifications/<int:reclassification_id>/",
        rejudging.reclassification,
        name="reclassification",
    ),
    path(
        "<str:job_kind>/<int:rejudging_id>/standing/",
        rejudging.rejudging_progress,
        name="rejudging_standing",
    ),
    path(
        "<str:job_kind>/<int:rejudging_id>/cancel/",
        rejudging.cancel_rejudging,
        name="cancel_rejudging",
    ),
]
in_settings = [
    path("hosts/", hosts.hosts, name="hosts"),
    path("invalid-events/", inbox.rejected, name="rejected"),
    path("opentelemetry/", traces.spans, name="spans"),
    path("failed-batches/", inbox.set_aside, name="set_aside"),
    path("failed-batches/<int:batch_id>/retry/", inbox.retry, name="retry_batch"),
    path("masking/", masking.masking, name="masking"),
    path("masking/try/", masking.try_rules, name="try_masking"),
    path("retention/", retention.retention, name="retention"),
    path("retention/rule/", retention.retention_rule, name="retention_rule"),
    path("retention/run/", retention.start_retention_run, name="start_retention_run"),
    path(
        "retention/runs/<int:run_id>/cancel/",
        retention.cancel_retention_run,
        name="cancel_retention_run",
    ),
    path("retention/holds/new/", retention.new_hold, name="new_hold"),
    path("retention/holds/<int:hold_id>/lift/", retention.lift_legal_hold, name="lift_legal_hold"),
    path("retention/erase/", retention.erase, name="erase"),
]
in_project: list[URLPattern | URLResolver] = [
    path("", overview.project, name="project"),
    path("overview/", overview.overview, name="overview"),
    path("sessions/", sessions.sessions, name="sessions"),
    path("session-columns/", sessions.choose_columns, name="session_columns"),
    path("sessions/<identifier:session_id>/", session.session, name="session"),
    path("reset-session/", actions.reset_session, name="reset_session"),
    path("delete-session/", actions.delete_session, name="delete_session"),
    path("compare-sessions/", compare_sessions.compare_sessions, name="compare_sessions"),
    path("saved-views/", saved_views.saved_views, name="saved_views"),
    path("saved-views/save/", saved_views.save_view, name="save_view"),
    path("saved-views/<int:view_id>/rename/", saved_views.rename_view, name="rename_view"),
    path("saved-views/<int:view_id>/remove/", saved_views.remove_view, name="remove_view"),
    path("session-notes/", actions.write_note, name="write_note"),
    path("session-notes/<int:note_id>/remove/", actions.remove_note, name="remove_note"),
    path("denials/", denials.denials, name="denials"),
    path("denials/rule/", denials_rule.denials_of_rule, name="denials_of_rule"),
    path("calls/", calls.calls, name="calls"),
    path("calls/<identifier:call_id>/", call.call, name="call"),
    path("check-for-call/", check_for_call.check_for_call, name="check_for_call"),
    path("open-value/", opening.open_value, name="open_value"),
    path("try-call/", contract_calls.try_call, name="try_call"),
    path("artifacts/", artifact_list.artifacts, name="artifacts"),
    path("artifacts/<identifier:artifact_id>/", artifact.artifact, name="artifact"),
    path("artifacts/<str:picture>/image", artifacts.image, name="artifact_image"),
    path("artifacts/<str:sha256>/raw", artifacts.raw, name="artifact_raw"),
    path("tools/", tools.tools, name="tools"),
    path("success-targets/", targets.success_targets, name="success_targets"),
    path("tools/<identifier:tool_name>/", tool.tool, name="tool"),
    path("groups/<str:group_key>/", group.group, name="group"),
    path("principals/", principals.principals, name="principals"),
    path("principals/<identifier:principal_name>/", principals.principal, name="principal"),
    path("approvals/", approvals.approvals, name="approvals"),
    path("alerts/", alerts.alerts, name="alerts"),
    path("alerts/<int:alert_id>/dismiss/", alerts.dismiss_alert, name="dismiss_alert"),
    path("alerts/<int:alert_id>/snooze/", alerts.snooze_alert, name="snooze_alert"),
    path("alerts/<int:alert_id>/reopen/", alerts.reopen_alert, name="reopen_alert"),
    path("agents/", agents.agents, name="agents"),
    path("agents/<identifier:name>/", agents.agent, name="agent"),
    path("checks/use/", check_bindings.check_use, name="check_use"),
    path("checks/bindings/preview/", check_bindings.bindings_preview, name="bindings_preview"),
    path("checks/suggestions/", include(of_suggestions)),
    path("checks/disagreements/", disagreements.disagreement_page, name="disagreements"),
    path("checks/recorded/", recorded_results.recorded_results, name="recorded_results"),
    path("checks/recorded/take/", recorded_results.take_result, name="take_result"),
    path("contracts/check/", contract_editor.check_contract, name="check_contract"),
    path("contracts/agents/", contracts.contract_agents, name="contract_agents"),
    path("contracts/figures/", contracts.contract_figures, name="contract_figures"),
    path(
        "contracts/b/<str:bundle_name>/counts/", contracts.contract_counts, name="contract_counts"
    ),
    path(
        "contracts/b/<str:bundle_name>/recent-calls/",
        recent_calls.recent_calls,
        name="recent_calls",
    ),
    path("contracts/b/<str:bundle_name>/would-deny/", observed.would_deny, name="would_deny"),
    path("contracts/b/<str:bundle_name>/would-deny/tick/", observed.tick, name="tick"),
    path("contracts/b/<str:bundle_name>/backtests/", backtests.backtests, name="backtests"),
    path(
        "contracts/b/<str:bundle_name>/backtests/newest/",
        newest_backtest.newest_backtest,
        name="newest_backtest",
    ),
    path("contracts/backtests/", include(of_backtests)),
    path("checks/", include(of_checks)),
    path("live/", include(live)),
    path("settings/", include(in_settings)),
]
urlpatterns = [path("p/<slug:slug>/", include(in_project))]
