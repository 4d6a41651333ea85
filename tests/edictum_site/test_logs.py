"""The log tells what somebody may want to look into, and not what every call of an agent does."""

import pytest

from tests import builders


@pytest.mark.django_db
@pytest.mark.parametrize("prefix", ["/v1", "/api/v1"])
def test_counters_that_nobody_has_begun_are_no_news(project, caplog, prefix):
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
