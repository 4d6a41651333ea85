"""Texts of the masking page."""

from collections.abc import Mapping
from typing import Final

from governance.core.masks.detectors import Detector
from governance.models import DetectorTotal, MaskingRules
from outcomes.masking.queries.detectors import NAMES
from outcomes.masking.queries.trial import Trial

MODES: Final = [
    ("shown", "when shown: stored as sent, masked on pages, for read keys and in logs"),
    ("stored", "before storing: the console never stores the value"),
]
CHOICES: Final = [(each.value, NAMES[each]) for each in Detector]


def headline(rules: MaskingRules | None, totals: Mapping[str, DetectorTotal]) -> str:
    if rules is None or not rules.before_storing:
        return "Secrets are masked when shown, and stored as sent"
    masked = sum(each.masked for each in totals.values())
    values = "1 value" if masked == 1 else f"{masked:,} values"
    return f"Secrets are masked before storing: {values} so far"


def trial_words(trial: Trial) -> str:
    calls = "1 recorded call" if trial.calls == 1 else f"{trial.calls:,} recorded calls"
    if not trial.calls:
        return "No recorded calls to try it on."
    if not trial.counts:
        return f"Nothing found in the newest {calls}."
    parts = ", ".join(f"{number:,} by {name}" for name, number in trial.counts.items())
    return f"Would mask in the newest {calls}: {parts}."
