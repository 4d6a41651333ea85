"""A reclassification that changes many verdicts opens an alert; an impact preview does not."""

from governance.models import Finding
from tests.outcomes.reclassification.test_rejudging import NOT_OK, OK, ran, unified
from tests.outcomes.rejudging import reclassified, tried


def flip_alerts(project):
    return list(Finding.objects.filter(project=project, kind="check_flips"))


def test_a_reclassification_with_many_flips_opens_an_alert_with_the_total(project, agent):
    agent.post(*[ran(NOT_OK, number, tool_name="crm") for number in range(25)])
    agent.post(*[ran(OK, number + 30) for number in range(75)])
    unified(project, "*")
    tried(project)
    assert flip_alerts(project) == []
    done = reclassified(project)
    (finding,) = flip_alerts(project)
    assert finding.title == "Reclassification changed 25 of 100 verdicts"
    assert finding.why.startswith("25.0 % of the calls, most of them `crm`.")
    assert finding.link.endswith(f"/checks/reclassifications/{done.pk}/")


def test_a_few_flips_open_no_alert(project, agent):
    agent.post(*[ran(NOT_OK, number) for number in range(19)])
    unified(project, "*")
    reclassified(project)
    assert flip_alerts(project) == []
