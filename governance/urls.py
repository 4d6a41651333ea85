"""URLs of governance: set-up, projects, approvals, stops, contracts, checks and settings."""

from django.urls import include, path

from governance.approvals import views as approvals
from governance.audit.views import log as audit
from governance.audit.views import stream as audit_stream
from governance.audit.views import verification as audit_verification
from governance.cases.views import cases, cases_of_calls, draft_playground, playground
from governance.checks.views import bindings as check_bindings
from governance.checks.views import check, checks, new_check
from governance.checks.views import drafts as check_drafts
from governance.clients import views as clients
from governance.contracts.views import audit as contract_audit
from governance.contracts.views import contract, contracts, drafts, enforcing, tool_rules
from governance.delivery.views import assignments, signing, stops
from governance.deployments.views import deployments, requests
from governance.people.views import doors, environments, key_rotation, keys, members
from governance.projects import views as projects

app_name = "governance"

in_settings = [
    path("", projects.settings, name="settings"),
    path("name/", projects.rename, name="rename"),
    path("keys/", keys.keys, name="keys"),
    path("keys/new/", keys.new_key, name="new_key"),
    path("keys/expiry/", key_rotation.key_expiry, name="key_expiry"),
    path("keys/<int:key_id>/", keys.key, name="key"),
    path("keys/<int:key_id>/limits/", keys.key_limits, name="key_limits"),
    path("keys/<int:key_id>/rotate/", key_rotation.rotate_key, name="rotate_key"),
    path(
        "keys/<int:key_id>/previous-value/end/",
        key_rotation.end_previous_value,
        name="end_previous_value",
    ),
    path("keys/<int:key_id>/created/", keys.key_created, name="key_created"),
    path("keys/<int:key_id>/revoke/", keys.revoke_key, name="revoke_key"),
    path("members/", members.members, name="members"),
    path("members/invite/", members.invite, name="invite"),
    path("members/roles/", members.roles, name="roles"),
    path("members/second-factor/", members.second_factor, name="second_factor"),
    path("members/invited/", members.invited, name="invited"),
    path("members/<int:member_id>/role/", members.change_role, name="change_role"),
    path("members/<int:member_id>/account/", members.member_account, name="member_account"),
    path("members/<int:member_id>/factors/", members.member_factors, name="member_factors"),
    path("members/<int:member_id>/sessions/", members.member_sessions, name="member_sessions"),
    path("members/<int:member_id>/password/", members.password_link, name="password_link"),
    path("members/<int:member_id>/delete/", members.delete_member_account, name="delete_account"),
    path("members/<int:member_id>/remove/", members.remove_member, name="remove_member"),
    path(
        "invitations/<int:invitation_id>/withdraw/",
        members.withdraw_invitation,
        name="withdraw_invitation",
    ),
    path("audit/", audit.audit, name="audit"),
    path("audit/stream/", audit_stream.stream, name="audit_stream"),
    path("audit/stream/remove/", audit_stream.end_stream, name="end_audit_stream"),
    path("audit/verification/", audit_verification.verification, name="audit_verification"),
    path("environments/", environments.environments, name="environments"),
    path("environments/<str:environment>/", environments.requirements, name="requirements"),
    path("signing-key/", signing.signing_key, name="signing_key"),
    path("signing-key/rotate/", signing.rotate_signing_key, name="rotate_signing_key"),
]
in_contracts = [
    path("", contracts.contracts, name="contracts"),
    path("new/", contracts.new_contract, name="new_contract"),
    path("rules-of-tool/", tool_rules.tool_rules, name="tool_rules"),
    path("b/<str:bundle_name>/", contract.contract, name="contract"),
    path("b/<str:bundle_name>/audit/", contract_audit.contract_audit, name="contract_audit"),
    path("b/<str:bundle_name>/text/", contract.contract_version, name="contract_text"),
    path("b/<str:bundle_name>/compare/", contract.compare_contract, name="compare_contract"),
    path(
        "b/<str:bundle_name>/versions/<int:number>/",
        contract.contract_version,
        name="contract_version",
    ),
    path(
        "b/<str:bundle_name>/versions/<int:number>/download/",
        contract.download_contract,
        name="download_contract",
    ),
]
in_checks = [
    path("", checks.checks, name="checks"),
    path("bindings/", check_bindings.check_bindings, name="check_bindings"),
    path("bindings/applying/", check_bindings.applying_check, name="applying_check"),
    path("c/<str:check_name>/", check.check, name="check"),
    path("c/<str:check_name>/bind/", check.bind_check, name="bind_check"),
    path("c/<str:check_name>/audit/", check.check_audit, name="check_audit"),
    path("c/<str:check_name>/compare/", check.compare_check, name="compare_check"),
    path("c/<str:check_name>/versions/<int:number>/", check.check_version, name="check_version"),
    path(
        "c/<str:check_name>/versions/<int:number>/<str:kind>/",
        check.download_check,
        name="download_check",
    ),
    path(
        "c/<str:check_name>/newer-included/", check.take_newer_included, name="take_newer_included"
    ),
]
of_check_drafts = [
    path("new/", new_check.new_check, name="new_check"),
    path("written/", check_drafts.written_check, name="written_check"),
    path("c/<str:check_name>/edit/", check_drafts.edit_check, name="edit_check_draft"),
    path("c/<str:check_name>/edit/keep/", check_drafts.keep_check, name="keep_check_draft"),
    path(
        "c/<str:check_name>/edit/discard/",
        check_drafts.discard_check,
        name="discard_check_draft",
    ),
    path(
        "c/<str:check_name>/edit/changes/",
        check_drafts.compare_check_draft,
        name="compare_check_draft",
    ),
    path(
        "c/<str:check_name>/edit/rebase/",
        check_drafts.rebase_check,
        name="rebase_check_draft",
    ),
    path("drafts/<int:draft_id>/", check_drafts.edit_check, name="edit_new_check_draft"),
    path("drafts/<int:draft_id>/keep/", check_drafts.keep_check, name="keep_new_check_draft"),
    path(
        "drafts/<int:draft_id>/discard/",
        check_drafts.discard_check,
        name="discard_new_check_draft",
    ),
]
of_deployments = [
    path("b/<str:bundle_name>/deploy/", deployments.deploy, name="deploy"),
    path("b/<str:bundle_name>/enforce/", enforcing.enforce, name="enforce"),
    path("deployments/<int:deployment_id>/", deployments.deployment, name="deployment"),
    path("deployments/<int:deployment_id>/roll-back/", deployments.roll_back, name="roll_back"),
    path("requests/", requests.requests, name="requests"),
    path("requests/<int:request_id>/", requests.deployment_request, name="request"),
    path("requests/<int:request_id>/decide/", requests.decide_request, name="decide_request"),
]
of_cases = [
    path("playground/", playground.playground, name="playground"),
    path("b/<str:bundle_name>/playground/", playground.playground, name="playground_of"),
    path(
        "b/<str:bundle_name>/playground/result/",
        playground.playground_result,
        name="playground_result",
    ),
    path("b/<str:bundle_name>/tests/", cases.cases, name="cases"),
    path("b/<str:bundle_name>/tests/panel/", cases.cases_panel, name="cases_panel"),
    path("b/<str:bundle_name>/tests/new/", cases.new_case, name="new_case"),
    path("b/<str:bundle_name>/tests/new-session/", cases.new_session_case, name="new_session_case"),
    path("b/<str:bundle_name>/tests/from-call/", cases_of_calls.keep_call, name="keep_call"),
    path("b/<str:bundle_name>/tests/<int:case_id>/", cases.edit_case, name="edit_case"),
    path("b/<str:bundle_name>/tests/<int:case_id>/move/", cases.move_case, name="move_case"),
    path("b/<str:bundle_name>/tests/<int:case_id>/remove/", cases.remove_case, name="remove_case"),
]
of_assignments = [
    path("assignments/", assignments.assignments, name="assignments"),
    path("assignments/new/", assignments.new_assignment, name="new_assignment"),
    path("assignments/<int:assignment_id>/", assignments.assignment, name="assignment"),
    path(
        "assignments/<int:assignment_id>/delete/",
        assignments.delete_assignment,
        name="delete_assignment",
    ),
]
of_drafts = [
    path("b/<str:bundle_name>/edit/", drafts.edit, name="edit_draft"),
    path("b/<str:bundle_name>/edit/keep/", drafts.keep, name="keep_draft"),
    path("b/<str:bundle_name>/edit/discard/", drafts.discard, name="discard_draft"),
    path("b/<str:bundle_name>/edit/changes/", drafts.compare_draft, name="compare_draft"),
    path("b/<str:bundle_name>/edit/rebase/", drafts.rebase, name="rebase_draft"),
    path("drafts/<int:draft_id>/", drafts.edit, name="edit_new_draft"),
    path("drafts/<int:draft_id>/keep/", drafts.keep, name="keep_new_draft"),
    path("drafts/<int:draft_id>/discard/", drafts.discard, name="discard_new_draft"),
    path(
        "drafts/<int:draft_id>/playground/",
        draft_playground.playground_of_draft,
        name="playground_of_draft",
    ),
    path(
        "drafts/<int:draft_id>/playground/result/",
        draft_playground.draft_result,
        name="draft_result",
    ),
]
urlpatterns = [
    path("", doors.first_page, name="first_page"),
    path("clients/", clients.index, name="clients"),
    path("clients/<str:file>", clients.download, name="client_wheel"),
    path("set-up/<str:token>/", doors.set_up, name="set_up"),
    path("join/<str:token>/", doors.join, name="join"),
    path("join/<str:token>/as-me/", doors.join_as_known, name="join_as_known"),
    path("projects/", projects.projects, name="projects"),
    path("projects/new/", projects.new_project, name="new_project"),
    path(
        "p/<slug:slug>/approvals/<str:code>/decide/",
        approvals.decide_approval,
        name="decide_approval",
    ),
    path("p/<slug:slug>/approvals/<str:code>/undo/", approvals.undo_decision, name="undo_decision"),
    path("p/<slug:slug>/approvals/decide/", approvals.decide_approvals, name="decide_approvals"),
    path(
        "p/<slug:slug>/approvals/<str:code>/arguments/",
        approvals.open_arguments,
        name="open_arguments",
    ),
    path("p/<slug:slug>/stop/", stops.new_stop, name="new_stop"),
    path("p/<slug:slug>/stops/<int:stop_id>/", stops.stop, name="stop"),
    path("p/<slug:slug>/stops/<int:stop_id>/taking/", stops.stop_taking, name="stop_taking"),
    path("p/<slug:slug>/stops/<int:stop_id>/lift/", stops.lift_stop, name="lift_stop"),
    path("p/<slug:slug>/contracts/", include(of_assignments)),
    path("p/<slug:slug>/contracts/", include(of_deployments)),
    path("p/<slug:slug>/contracts/", include(of_drafts)),
    path("p/<slug:slug>/contracts/", include(of_cases)),
    path("p/<slug:slug>/contracts/", include(in_contracts)),
    path("p/<slug:slug>/checks/", include(of_check_drafts)),
    path("p/<slug:slug>/checks/", include(in_checks)),
    path("p/<slug:slug>/settings/", include(in_settings)),
]
