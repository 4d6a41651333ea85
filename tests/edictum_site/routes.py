"""What everybody may: each address and method, and who gets past its guard.

A new address belongs here from the day it exists; the test beside this file sees to it.
"""

from governance.domain.roles import Role

VIEWER, OPERATOR, EDITOR, ADMIN = (f"member:{role}" for role in Role)
MEMBERS = {VIEWER, OPERATOR, EDITOR, ADMIN}
AGENT_KEY, INGEST_KEY, READ_KEY, MANAGE_KEY = "key:agent", "key:ingest", "key:read", "key:manage"
KEYS = {AGENT_KEY, INGEST_KEY, READ_KEY, MANAGE_KEY}
ANONYMOUS, STRANGER = "anonymous", "stranger"
EVERYBODY = {ANONYMOUS, STRANGER} | KEYS | MEMBERS

READERS = {READ_KEY, MANAGE_KEY} | MEMBERS
OPERATORS = {MANAGE_KEY, OPERATOR, EDITOR, ADMIN}
EDITORS = {MANAGE_KEY, EDITOR, ADMIN}
ADMINS = {MANAGE_KEY, ADMIN}
INGESTERS = {AGENT_KEY, INGEST_KEY}

# Below /v1/ and /api/v1/, as OpenAPI writes them.
API = {
    "GET keys": READERS,
    "POST keys": ADMINS,
    "DELETE keys/{key_id}": ADMINS,
    "GET bundles/{name}/current": {AGENT_KEY},
    "GET rulesets/{name}/current": {AGENT_KEY},
    "PUT assignments": EDITORS,
    "GET assignments": READERS,
    "DELETE assignments/{assignment_id}": EDITORS,
    "GET signing-key": READERS,
    "POST signing-key/rotations": ADMINS,
    "POST contracts": EDITORS,
    "GET contracts": READERS,
    "POST contracts/validate": READERS,
    "POST contracts/evaluate": READERS,
    "POST contracts/backtests": EDITORS,
    "GET contracts/backtests/{backtest_id}": READERS,
    "DELETE contracts/backtests/{backtest_id}": EDITORS,
    "GET contracts/{name}": READERS,
    "GET contracts/{name}/versions/{version}": READERS,
    "POST contracts/{name}/deployments": EDITORS,
    "GET contracts/{name}/deployments": READERS,
    "GET contracts/{name}/deployment-plan": READERS,
    "POST contracts/{name}/rollbacks": EDITORS,
    "POST contracts/{name}/deployment-requests": EDITORS,
    "GET deployment-requests": READERS,
    "GET deployment-requests/{request_id}": READERS,
    "POST deployment-requests/{request_id}/decision": EDITORS,
    "DELETE deployment-requests/{request_id}": EDITORS,
    "GET environments": READERS,
    "PUT environments/{name}/requirements": ADMINS,
    "POST approvals": {AGENT_KEY},
    "GET approvals": READERS,
    "GET approvals/{approval_id}": {AGENT_KEY, READ_KEY, MANAGE_KEY},
    "POST approvals/{approval_id}/decision": OPERATORS,
    "GET stream": {AGENT_KEY},
    "POST sessions/batch": {AGENT_KEY},
    "GET sessions/{key}": {AGENT_KEY},
    "PUT sessions/{key}": {AGENT_KEY},
    "DELETE sessions/{key}": {AGENT_KEY},
    "POST sessions/{key}/increment": {AGENT_KEY},
    "POST outcomes": INGESTERS,
    "POST events": INGESTERS,
    "POST audit/ingest": INGESTERS,
    "POST skill-scan": {AGENT_KEY},
    "POST artifacts": INGESTERS,
    "GET outcomes": READERS,
    "GET outcomes/{call_id}": READERS,
    "GET events": KEYS | MEMBERS,
    "GET artifacts/{artifact_id}": READERS | {AGENT_KEY},
    "GET agent-sessions": READERS,
    "GET agent-sessions/{session_id}": READERS,
    "GET health": EVERYBODY,
}

# Pages of a project, by name (and query): the least role. The rest of the askers must not get in.
PROJECT_PAGES = {
    "GET outcomes:sessions": Role.VIEWER,
    "GET outcomes:session": Role.VIEWER,
    "GET outcomes:session_rows": Role.VIEWER,
    "GET outcomes:session_standing?of=s-1": Role.VIEWER,
    "GET outcomes:reset_session?of=s-1": Role.OPERATOR,
    "POST outcomes:reset_session?of=s-1": Role.OPERATOR,
    "GET outcomes:calls": Role.VIEWER,
    "GET outcomes:call": Role.VIEWER,
    "GET outcomes:call_rows": Role.VIEWER,
    "GET outcomes:artifact_raw": Role.VIEWER,
    "GET outcomes:rejected": Role.VIEWER,
    "GET outcomes:set_aside": Role.VIEWER,
    "POST outcomes:retry_batch": Role.OPERATOR,
    "GET outcomes:approvals": Role.VIEWER,
    "GET outcomes:waiting_approvals": Role.VIEWER,
    "GET outcomes:waiting_approvals?of=s-1": Role.VIEWER,
    "POST governance:decide_approval": Role.OPERATOR,
    "POST governance:open_arguments": Role.OPERATOR,
    "GET outcomes:agents": Role.VIEWER,
    "GET outcomes:agent_rows": Role.VIEWER,
    "GET outcomes:agent": Role.VIEWER,
    "GET outcomes:agent_standing?of=unknown": Role.VIEWER,
    "GET governance:attention": Role.VIEWER,
    "POST governance:dismiss_finding": Role.OPERATOR,
    "GET governance:new_stop": Role.OPERATOR,
    "GET governance:new_stop?environment=production&agent=bot": Role.OPERATOR,
    "POST governance:new_stop?environment=production": Role.OPERATOR,
    "GET governance:stop": Role.VIEWER,
    "GET governance:stop_taking": Role.VIEWER,
    "GET governance:lift_stop": Role.OPERATOR,
    "POST governance:lift_stop": Role.OPERATOR,
    "GET governance:deploy": Role.EDITOR,
    "GET governance:deploy?version=2&environment=production": Role.EDITOR,
    "POST governance:deploy": Role.EDITOR,
    "GET governance:deployment": Role.VIEWER,
    "GET governance:roll_back": Role.EDITOR,
    "POST governance:roll_back": Role.EDITOR,
    "GET governance:requests": Role.VIEWER,
    "GET governance:request": Role.VIEWER,
    "POST governance:decide_request": Role.EDITOR,
    "GET governance:environments": Role.VIEWER,
    "GET governance:requirements": Role.ADMIN,
    "POST governance:requirements": Role.ADMIN,
    "GET outcomes:taking?bundle=d&environment=production&version=1": Role.VIEWER,
    "GET governance:settings": Role.VIEWER,
    "POST governance:rename": Role.ADMIN,
    "GET governance:keys": Role.VIEWER,
    "GET governance:new_key": Role.ADMIN,
    "POST governance:new_key": Role.ADMIN,
    "GET governance:revoke_key": Role.ADMIN,
    "POST governance:revoke_key": Role.ADMIN,
    "GET governance:members": Role.VIEWER,
    "GET governance:invite": Role.ADMIN,
    "POST governance:invite": Role.ADMIN,
    "GET governance:change_role": Role.ADMIN,
    "POST governance:change_role": Role.ADMIN,
    "GET governance:remove_member": Role.ADMIN,
    "POST governance:remove_member": Role.ADMIN,
    "POST governance:withdraw_invitation": Role.ADMIN,
    "GET governance:audit": Role.VIEWER,
    "GET governance:signing_key": Role.VIEWER,
    "GET governance:rotate_signing_key": Role.ADMIN,
    "POST governance:rotate_signing_key": Role.ADMIN,
}

# Pages of no project: what they ask for, they ask themselves, and their own tests show it.
OTHER_PAGES = {
    "governance:first_page",
    "governance:set_up",
    "governance:join",
    "governance:join_as_known",
    "governance:projects",
    "governance:new_project",
    "account_login",
    "account_logout",
    "account_change_password",
    "account_inactive",
    "session_store",
    "api:openapi-json",
    "api:api-root",
}
