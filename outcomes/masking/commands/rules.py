"""Change the rules by which a project masks values before storing them."""

import secrets
from collections.abc import Collection

from django.db import transaction

from governance.audit_log import Detail, queue_at, record
from governance.core.actor import Actor
from governance.core.errors import InvalidInput
from governance.core.masks.detectors import Detector
from governance.models import MaskingRules, Project
from governance.people.auth import forget_keys
from governance.people.policies import Action, refuse_unless
from governance.people.queries.masking import masking_rules
from outcomes.masking.domain.own_patterns import PatternsInvalid, patterns_text, read_patterns


@transaction.atomic
def set_masking(
    project: Project, *, before_storing: bool, detectors: Collection[str], patterns: str, by: Actor
) -> MaskingRules:
    """Mask new data before it is stored, or only when it is shown."""
    refuse_unless(by, Action.MANAGE_SETTINGS)
    queue_at(project)
    present = masking_rules(project.pk)
    rules = changed_rules(project, detectors=detectors, patterns=patterns)
    rules.before_storing = before_storing
    if present is not None and _about(present) == _about(rules):
        return present
    rules.save()
    details = _about(rules) | {"was": None if present is None else _about(present)}
    record(by, "masking changed", project.slug, project=project, details=details)
    transaction.on_commit(forget_keys)  # in this process; others reload within a second
    return rules


def changed_rules(project: Project, *, detectors: Collection[str], patterns: str) -> MaskingRules:
    """Changed rules, validated but not saved."""
    if unknown := set(detectors) - set(Detector):
        known = ", ".join(Detector)
        raise InvalidInput.at("detectors", f"{min(unknown)} is no detector. Use {known}.")
    try:
        read = read_patterns(patterns)
    except PatternsInvalid as error:
        raise InvalidInput.at("patterns", str(error)) from None
    present = masking_rules(project.pk)
    return MaskingRules(
        project=project,
        detectors=[each.value for each in Detector if each in detectors],
        patterns=read,
        salt=secrets.token_bytes(32) if present is None else present.salt,
        revision=1 if present is None else present.revision + 1,
    )


def _about(rules: MaskingRules) -> dict[str, Detail]:
    return {
        "mode": "before storing" if rules.before_storing else "when shown",
        "detectors": list(rules.detectors),
        "patterns": patterns_text(rules.patterns),
    }
