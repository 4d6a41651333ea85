"""Retention over HTTP: rules, runs, legal holds and erasures."""

from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from ninja import Query

from governance.core.conflicts import MAY_CONFLICT
from governance.core.errors import NotFound
from governance.models import Project
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.policies import Action
from governance.people.queries.projects import project_numbered
from outcomes.calls.api.shapes import time_text
from outcomes.holds.commands import hold_query, hold_session, lift_hold
from outcomes.holds.queries import holds_of
from outcomes.jobs import doorbell
from outcomes.models import Erasure, Hold, RetentionRun
from outcomes.retention.commands.erasing import start_erasure
from outcomes.retention.commands.rules import reset_rule, set_rule
from outcomes.retention.commands.runs import cancel_run, start_run
from outcomes.retention.domain import Rule, kind_named
from outcomes.retention.queries.preview import RuleNow, due_now
from outcomes.retention.queries.runs import erasure_numbered, marks_of, run_numbered, runs_of
from outcomes.retention.schemas import ErasureIn, HoldIn, RuleIn, RuleQuery
from outcomes.stored.queries import session_named
from outcomes.web.api import answer, router

CAN_READ = KeyOrMember("read")
CAN_MANAGE = KeyOrMember(action=Action.MANAGE_RETENTION)


@router.get("/retention", auth=CAN_READ, response={200: None})
def get_retention(request: AccessRequest) -> HttpResponse:
    """Rules in force with what each would remove now, the runs, and how far removal has come."""
    project = _project(request)
    runs = runs_of(project.pk)
    return answer(
        {
            "rules": [_rule_now_out(row) for row in due_now(project, timezone.now())],
            "next_run_at": time_text(runs.next_at),
            "run": _run_out(runs.current) if runs.current else None,
            "last_run": _run_out(runs.last) if runs.last else None,
            "removed_before": [
                {
                    "env": mark.environment.name,
                    "calls": time_text(mark.calls_before),
                    "payloads": time_text(mark.payloads_before),
                }
                for mark in marks_of(project.pk)
            ],
        }
    )


@router.put("/retention/rules", auth=CAN_MANAGE, response={200: None})
def put_retention_rule(request: AccessRequest, body: RuleIn) -> HttpResponse:
    """Keep data of one kind for so many days; `null` keeps it forever."""
    rule = set_rule(
        _project(request),
        kind=kind_named(body.kind),
        days=body.days,
        env=body.env,
        by=request.auth.actor,
    )
    return answer(_rule_out(rule, body.env))


@router.delete("/retention/rules", auth=CAN_MANAGE, response={200: None})
def delete_retention_rule(request: AccessRequest, query: Query[RuleQuery]) -> HttpResponse:
    """Let the project's rule, or the default, apply again."""
    kind = kind_named(query.kind)
    rule = reset_rule(_project(request), kind=kind, env=query.env, by=request.auth.actor)
    return answer(_rule_out(rule, query.env))


@router.post("/retention/runs", auth=CAN_MANAGE, response={202: None}, openapi_extra=MAY_CONFLICT)
def post_retention_run(request: AccessRequest) -> HttpResponse:
    run = start_run(_project(request), by=request.auth.actor)
    doorbell.ring(doorbell.RETENTION, run.pk)
    return answer(_run_out(run), status=202)


@router.get("/retention/runs/{int:run_id}", auth=CAN_READ, response={200: None})
def get_retention_run(request: AccessRequest, run_id: int) -> HttpResponse:
    run = run_numbered(request.auth.project_id, run_id)
    if run is None:
        raise NotFound("Run not found.")
    return answer(_run_out(run))


@router.delete("/retention/runs/{int:run_id}", auth=CAN_MANAGE, response={200: None})
def delete_retention_run(request: AccessRequest, run_id: int) -> HttpResponse:
    """Cancel it; what was removed stays removed."""
    return answer(_run_out(cancel_run(_project(request), run_id, by=request.auth.actor)))


@router.get("/legal-holds", auth=CAN_READ, response={200: None})
def list_legal_holds(request: AccessRequest) -> HttpResponse:
    holds = holds_of(request.auth.project_id)
    return answer({"holds": [_hold_out(hold) for hold in holds]})


@router.post("/legal-holds", auth=CAN_MANAGE, response={201: None}, openapi_extra=MAY_CONFLICT)
def post_legal_hold(request: AccessRequest, body: HoldIn) -> HttpResponse:
    """Exempt a session, or the calls that match a search, from retention."""
    body.refuse_both()
    by, project = request.auth.actor, _project(request)
    if body.query:
        hold = hold_query(project, query=body.query, reason=body.reason, by=by)
    else:
        session = session_named(project.pk, body.session, body.env)
        if session is None:
            raise NotFound("Session not found.")
        hold = hold_session(session, reason=body.reason, by=by)
    return answer(_hold_out(hold), status=201)


@router.delete("/legal-holds/{int:hold_id}", auth=CAN_MANAGE, response={204: None})
def delete_legal_hold(request: AccessRequest, hold_id: int) -> HttpResponse:
    lift_hold(_project(request), hold_id, by=request.auth.actor)
    return HttpResponse(status=204)


@router.post("/erasures", auth=CAN_MANAGE, response={202: None}, openapi_extra=MAY_CONFLICT)
def post_erasure(request: AccessRequest, body: ErasureIn) -> HttpResponse:
    """Erase everything about one agent or one principal. It cannot be undone."""
    erasure = start_erasure(
        _project(request), about=body.about, name=body.name, typed=body.name, by=request.auth.actor
    )
    doorbell.ring(doorbell.ERASE, erasure.pk)
    return answer(_erasure_out(erasure), status=202)


@router.get("/erasures/{int:erasure_id}", auth=CAN_READ, response={200: None})
def get_erasure(request: AccessRequest, erasure_id: int) -> HttpResponse:
    erasure = erasure_numbered(request.auth.project_id, erasure_id)
    if erasure is None:
        raise NotFound("Erasure not found.")
    return answer(_erasure_out(erasure))


def _project(request: AccessRequest) -> Project:
    return project_numbered(request.auth.project_id)


def _rule_out(rule: Rule, environment: str) -> dict[str, Any]:
    return {
        "kind": rule.kind.value,
        "env": environment or None,
        "days": rule.days,
        "own": rule.is_own,
        "default": rule.is_default,
    }


def _rule_now_out(row: RuleNow) -> dict[str, Any]:
    due = {"rows": row.due.rows, "bytes": row.due.bytes, "more": row.due.is_more}
    return _rule_out(row.rule, row.environment) | {"due": due}


def _run_out(run: RetentionRun) -> dict[str, Any]:
    removed: dict[str, list[int]] = run.result.get("removed", {})
    return {
        "id": run.pk,
        "status": run.status,
        "error": run.error or None,
        "author": run.author,
        "created_at": time_text(run.created_at),
        "finished_at": time_text(run.finished_at),
        "stage": run.stage or None,
        "removed": {kind: {"rows": row, "bytes": size} for kind, (row, size) in removed.items()},
    }


def _hold_out(hold: Hold) -> dict[str, Any]:
    return {
        "id": hold.pk,
        "session": hold.session.session_id if hold.session else None,
        "env": hold.session.environment.name if hold.session else None,
        "query": hold.query or None,
        "reason": hold.reason or None,
        "author": hold.author,
        "created_at": time_text(hold.created_at),
    }


def _erasure_out(erasure: Erasure) -> dict[str, Any]:
    return {
        "id": erasure.pk,
        "about": erasure.about,
        "status": erasure.status,
        "error": erasure.error or None,
        "erased": erasure.result["erased"],
        "created_at": time_text(erasure.created_at),
        "finished_at": time_text(erasure.finished_at),
    }
