"""Masking before storing in posts, checks, contracts and artifacts, and its settings page."""

import json
from typing import Any

import pytest
from django.urls import reverse

from governance.approvals.commands import decide
from governance.core.actor import person
from governance.core.errors import Forbidden, InvalidInput
from governance.core.masks.detectors import Detector
from governance.core.roles import Role
from governance.models import Approval, AuditEntry, DetectorTotal, MaskingRules
from governance.people.auth import AGENT_HEADER
from outcomes.masking.commands.rules import set_masking
from outcomes.models import Artifact, Batch, Call, RejectedItem
from outcomes.record import codec
from tests import builders
from tests.governance.approvals.builders import REQUEST
from tests.governance.naming import a_check, bound
from tests.outcomes.pages import an_item, text_of
from tests.recount import differences

SECRET = "sk-abcdefghij0123456789"
CARD = "4111111111111111"
ADMIN = person(1, "admin@example.test", Role.ADMIN)
CONTRACT = """apiVersion: edictum/v1
kind: Ruleset
metadata: {name: guard}
defaults: {mode: enforce}
rules:
  - id: no-token
    type: pre
    tool: mail
    when: {args.body: {contains: "%s"}}
    then: {action: block, message: "No."}
"""
REFUSED = "{id: refused, when: {result.key: {contains: refused}}, verdict: failure}"
BAD = "{id: bad, when: {result.status: {equals: bad}}, verdict: failure}"


@pytest.fixture
def masks(project) -> MaskingRules:
    return masking(project)


def masking(project, patterns: str = "", *detectors: Detector, on: bool = True) -> MaskingRules:
    names = [each.value for each in detectors or Detector]
    return set_masking(project, before_storing=on, detectors=names, patterns=patterns, by=ADMIN)


@pytest.fixture
def admin(project):
    return builders.signed_in(builders.a_member(project, Role.ADMIN).user)


def address(project, name: str = "masking") -> str:
    return reverse(f"outcomes:{name}", args=[project.slug])


@pytest.mark.usefixtures("masks")
def test_a_secret_in_an_item_is_stored_masked_and_counted(agent, project):
    item = an_item(call_id="c-1", tool_args={"key": SECRET}, output={"card": int(CARD)})
    agent.post(item, item)
    call = agent.outcome("c-1")
    assert call["tool_args"]["key"].startswith("[masked:tokens:text:17-32:")
    assert call["output"]["card"].startswith("[masked:cards:number:9-16:")
    assert Call.objects.count() == 1
    totals = dict(DetectorTotal.objects.values_list("detector", "masked"))
    assert totals == {"tokens": 2, "cards": 2}
    assert differences() == []


def test_without_masking_before_storing_items_are_stored_as_sent(agent, project):
    masking(project, on=False)
    agent.post(an_item(call_id="c-1", tool_args={"key": SECRET}))
    assert agent.outcome("c-1")["tool_args"] == {"key": "[masked]"}
    assert not DetectorTotal.objects.exists()


@pytest.mark.usefixtures("masks")
def test_a_secret_under_a_duplicate_key_is_masked(agent):
    raw = b'{"type": "execution_result", "call_id": "c-1", "tool_name": "t", "output": {"a": "%s",'
    agent.door_of_raw(raw % SECRET.encode() + b'"a": "x"}}')
    stored = b"".join(codec.unpack_batch(bytes(Batch.objects.get().body)))
    assert SECRET.encode() not in stored


@pytest.mark.usefixtures("masks")
def test_secrets_in_an_invalid_item_are_masked(agent):
    agent.post({"type": SECRET, "call_id": "c-1", "password": "hunter22"}, f"no item {SECRET}")
    rows = RejectedItem.objects.all()
    assert len(rows) == 2
    texts = " ".join(f"{bytes(row.excerpt)!r} {row.detail}" for row in rows)
    assert SECRET not in texts
    assert "hunter22" not in texts


@pytest.mark.usefixtures("masks")
def test_a_check_that_reads_a_mask_is_labeled_and_cannot_succeed(project, agent):
    a_check(project, REFUSED, BAD)
    bound(project, "* mine")
    agent.post(
        an_item(call_id="read", output={"key": SECRET}),
        an_item(call_id="other", output={"key": "fine", "note": SECRET}),
        an_item(call_id="bad", output={"key": SECRET, "status": "bad"}),
    )
    seen = {name: agent.outcome(name) for name in ("read", "other", "bad")}
    assert (seen["read"]["verdict"], seen["read"]["cut"]) == ("unknown", True)
    assert seen["read"]["labels"] == ["masked"]
    assert (seen["other"]["verdict"], seen["other"]["labels"]) == ("success", [])
    assert (seen["bad"]["verdict"], seen["bad"]["labels"]) == ("failure", ["masked"])


@pytest.mark.usefixtures("masks")
def test_the_default_check_is_unknown_on_a_mask_and_the_agents_verdict_remains(agent):
    agent.post(
        an_item(call_id="alone", output=SECRET, tool_success=None),
        an_item(call_id="reported", output=SECRET, tool_success=True),
        an_item(call_id="inside", output=f"Signed in with {SECRET}", tool_success=None),
    )
    verdicts = {each: agent.outcome(each)["verdict"] for each in ("alone", "reported", "inside")}
    assert verdicts == {"alone": "unknown", "reported": "success", "inside": "success"}


@pytest.mark.usefixtures("masks")
def test_contracts_with_a_secret_are_rejected_with_its_position(agent):
    answer = agent.client.post(
        "/v1/contracts", {"yaml": CONTRACT % SECRET}, content_type="application/json"
    )
    assert answer.status_code == 422, answer.content
    assert "tokens in line 9, column 35" in answer.content.decode()
    fine = agent.client.post(
        "/v1/contracts", {"yaml": CONTRACT % "x"}, content_type="application/json"
    )
    assert fine.status_code in (200, 201), fine.content


@pytest.mark.usefixtures("masks")
def test_an_artifact_with_a_secret_is_rejected_wherever_chunks_end(agent):
    for before in (0, 262_140, 300_000):
        content = b"x" * before + b" " + SECRET.encode() + b" " + b"y" * 100_000
        answer = agent.client.post("/v1/artifacts", content, content_type="text/plain")
        assert answer.status_code == 422, before
        assert answer.json()["code"] == "secret_in_artifact"
    assert not Artifact.objects.exists()
    plain = agent.client.post("/v1/artifacts", b"words " * 99, content_type="text/plain")
    assert plain.status_code == 201


@pytest.mark.usefixtures("masks")
def test_a_mask_longer_than_its_secret_fits_its_column(project, agent):
    name = "a@b.cc-" * 18  # 126 characters
    agent.send("outcomes", json.dumps({"outcomes": [an_item()]}).encode(), **{AGENT_HEADER: name})
    body = REQUEST | {"agent_id": name, "message": "a@b.cc " * 500}
    answer = agent.client.post("/v1/approvals", body, content_type="application/json")
    assert answer.status_code == 201, answer.content
    decided = decide(
        Approval.objects.get(project=project), approve=False, by=ADMIN, reason="a@b.cc " * 280
    )
    assert len(decided.reason) == 2_000


@pytest.mark.usefixtures("masks")
def test_an_approval_is_stored_masked_and_deduplicated(agent):
    body = REQUEST | {"tool_args": {"key": SECRET, "amount": 5}, "message": f"With {SECRET}?"}
    ids = {
        agent.client.post("/v1/approvals", body, content_type="application/json").json()["id"]
        for _ in range(2)
    }
    assert len(ids) == 1
    approval = Approval.objects.get()
    assert SECRET not in f"{approval.arguments}{approval.shown}{approval.message}"
    assert approval.raw_arguments()["amount"] == 5


def test_masking_changes_are_audited_once_and_require_an_admin(project):
    masking(project, r"badge inside BADGE-\d+")
    masking(project, r"badge inside BADGE-\d+")
    (entry,) = AuditEntry.objects.filter(project=project, action="masking changed")
    assert entry.details["mode"] == "before storing"
    assert entry.details["patterns"] == r"badge inside BADGE-\d+"
    editor = person(2, "editor@example.test", Role.EDITOR)
    with pytest.raises(Forbidden):
        set_masking(project, before_storing=False, detectors=[], patterns="", by=editor)


@pytest.mark.parametrize(
    ("patterns", "problem"),
    [
        ("badge BADGE", "Line 1: Write `name inside pattern`"),
        ("ok inside x\nBad inside y", "Line 2: A name has"),
        ("a inside x\na whole y", "Line 2: There is another pattern a."),
        (r"back inside (a)\1", "Line 1: "),
        ("all inside x*", "found in an empty text"),
    ],
)
def test_an_invalid_pattern_is_rejected_with_its_line(project, patterns, problem):
    with pytest.raises(InvalidInput, match="Line") as refused:
        masking(project, patterns)
    assert problem in str(refused.value)


def test_custom_patterns_mask_substrings_or_entire_values(agent, project):
    masking(project, "badge inside BADGE-\\d+\nzip whole [0-9]{5}", Detector.JWTS)
    agent.post(
        an_item(call_id="c-1", output={"a": "of BADGE-17, ok", "b": "12345", "c": "x 12345"})
    )
    output = agent.outcome("c-1")["output"]
    assert output["a"].startswith("of [masked:own-badge:text:5-8:")
    assert output["a"].endswith("], ok")
    assert output["b"].startswith("[masked:own-zip:text:5-8:")
    assert output["c"] == "x 12345"


def test_masking_rules_can_be_read_and_replaced_over_the_api(
    agent, reader, django_capture_on_commit_callbacks
):
    assert agent.get("masking")["mode"] == "shown"
    body = {"mode": "stored", "detectors": ["cards"], "patterns": "b inside B-[0-9]+"}
    with django_capture_on_commit_callbacks(execute=True):  # so the next post is masked
        changed = agent.client.put("/v1/masking", body, content_type="application/json")
    assert changed.status_code == 200
    agent.post(an_item(output=f"{CARD} B-1 {SECRET}"))
    assert agent.get("masking") == body | {"masked": {"cards": 1, "own-b": 1}}
    refused = reader.put("/v1/masking", body, content_type="application/json")
    assert refused.status_code == 403
    wrong = agent.client.put(
        "/v1/masking", body | {"detectors": ["none"]}, content_type="application/json"
    )
    assert wrong.status_code == 422


def form(**changed: Any) -> dict[str, Any]:
    return {"mode": "stored", "detectors": ["tokens"], "patterns": ""} | changed


def test_the_page_saves_the_rules_and_counts_masked_values(project, admin, agent):
    page = text_of(admin.get(address(project)))
    assert "Secrets are masked when shown, and stored as sent" in page
    saved = admin.post(address(project), form())
    assert saved.status_code == 302
    agent.post(an_item(output=f"{SECRET} {SECRET}"))
    page = text_of(admin.get(address(project)))
    assert "Secrets are masked before storing: 2 values so far" in page
    wrong = admin.post(address(project), form(patterns="x"))
    assert wrong.status_code == 422
    assert "Line 1" in wrong.text


def test_a_viewer_sees_the_rules_but_cannot_change_them(project, pages):
    assert "You need the admin role to change masking." in pages.text("settings/masking/")
    refused = pages.client.post(address(project), form())
    assert refused.status_code == 403
    assert not MaskingRules.objects.exists()


def test_a_dry_run_lists_what_would_be_masked_and_saves_nothing(project, admin, agent):
    agent.post(an_item(call_id="c-7", tool_args={"note": f"use {SECRET}", "id": "B-12"}))
    answer = admin.post(address(project, "try_masking"), form(patterns=r"b whole B-\d+"))
    page = text_of(answer)
    assert "Would mask in the newest 1 recorded call: 1 by own-b, 1 by tokens." in page
    assert "/tool_args/note" in page
    assert SECRET not in json.dumps(answer.text)
    assert not MaskingRules.objects.exists()
