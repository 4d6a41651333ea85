"""Mark calls that a rule in observe mode would have denied as reviewed."""

import json
from typing import Any

from django.db import transaction
from django.utils import timezone

from governance.audit_log import Detail, record
from governance.core.actor import Actor
from governance.core.errors import NotFound
from governance.deployments.queries import VersionThere
from governance.people.policies import Action, refuse_unless
from outcomes.contract_pages.queries.observed import Line, Named, observed
from outcomes.models import TickedLine
from outcomes.record.codec import digest_of


def tick_off(there: VersionThere, named: Named, *, by: Actor) -> TickedLine:
    """Mark a line as reviewed; repeating it covers calls that have arrived since."""
    refuse_unless(by, Action.DEPLOY)
    line = observed(there).line(named)
    if line is None:
        raise NotFound("This rule would have denied no recorded call there.")
    return _keep(there, line, by)


@transaction.atomic
def take_back(there: VersionThere, named: Named, *, by: Actor) -> bool:
    """Undo the review of a line; False if it was not reviewed."""
    refuse_unless(by, Action.DEPLOY)
    line = TickedLine.objects.filter(**_key(there, named)).first()
    if line is None:
        return False
    _record(there, "observed denial reopened", line, by)
    line.delete()
    return True


@transaction.atomic
def _keep(there: VersionThere, line: Line, by: Actor) -> TickedLine:
    named = line.named
    ticked, _ = TickedLine.objects.update_or_create(
        **_key(there, named),
        defaults={
            "rule": named.rule,
            "tool": named.tool,
            "agent": named.agent,
            "calls": line.number,
            "up_to": line.calls[0].pk,
            "author": str(by)[:320],
            "at": timezone.now(),
        },
    )
    _record(there, "observed denial reviewed", ticked, by)
    return ticked


def _key(there: VersionThere, named: Named) -> dict[str, Any]:
    place = json.dumps([named.rule, named.tool, named.agent])
    return {
        "version": there.version,
        "environment": there.environment,
        "digest": digest_of(place),
    }


def _record(there: VersionThere, action: str, line: TickedLine, by: Actor) -> None:
    details: dict[str, Detail] = {
        "environment": there.environment.name,
        "rule": line.rule[:128],
        "tool": line.tool[:128],
        "agent": line.agent[:128],
        "calls": line.calls,
    }
    project = there.version.bundle.project
    record(by, action, str(there.version), project=project, details=details)
