"""The log contains what an operator may want to investigate, not every agent call."""

import json
import logging

import pytest
from django.test import Client

from edictum_site.logs import JsonLine
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.people.commands.people import invite
from tests import builders


@pytest.mark.django_db
@pytest.mark.parametrize("prefix", ["/v1", "/api/v1"])
def test_a_404_for_an_unset_counter_is_not_logged(project, caplog, prefix):
    agent = builders.bearing(builders.a_key(project)[0])
    assert agent.get(f"{prefix}/sessions/s:a:execs").status_code == 404
    assert agent.delete(f"{prefix}/sessions/s:a:consec_fail").status_code == 404
    assert caplog.messages == []
    assert agent.get(f"{prefix}/rulesets/nothing-here/current").status_code == 404
    assert builders.bearing("edk_x").get(f"{prefix}/sessions/s:a:execs").status_code == 401
    assert [message.partition(":")[0] for message in caplog.messages] == [
        "Not Found",
        "Unauthorized",
    ]


def lines(caplog) -> list[str]:
    return [json.loads(JsonLine().format(record))["message"] for record in caplog.records]


@pytest.mark.parametrize("way", ["plain", "escaped"])
def test_a_key_in_an_address_is_not_logged(project, caplog, way):
    key, _ = builders.a_key(project)
    sent = key if way == "plain" else key.replace("_", "%5F")
    assert Client().get(f"/v1/nowhere/{sent}").status_code == 404
    assert lines(caplog) == ["Not Found: /v1/nowhere/[masked]"]


def test_an_invitation_token_is_not_logged(project, caplog):
    token = invite(project, email="new@example.test", role=Role.VIEWER, by=CONSOLE)
    assert Client().put(f"/join/{token}/").status_code == 405
    assert lines(caplog) == ["Method Not Allowed (PUT): /join/[masked]/"]


def test_secrets_in_tracebacks_are_masked():
    try:
        raise RuntimeError("postgresql://me:hunter22@db/site")
    except RuntimeError as error:
        info = (RuntimeError, error, error.__traceback__)
    line = JsonLine().format(logging.LogRecord("a", 40, "a.py", 1, "failed", None, info))
    assert "hunter22" not in line
    assert "RuntimeError" in line
