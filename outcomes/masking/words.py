"""Words of the page about masking."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from governance.core.masks.detectors import SHOWN_DETECTORS, Detector
from governance.models import MaskedTotal, MaskingRules
from outcomes.masking.queries.trial import Trial

MODES: Final = [
    ("shown", "when shown: stored as sent, masked on pages, for read keys and in logs"),
    ("stored", "before storing: the console never stores the value"),
]
NAMES: Final = {
    Detector.NAMES: "Fields by name: password, token, secret, api_key, pin and others",
    Detector.TOKENS: "Token formats: bearer, sk-, ghp_, xoxb-, AKIA, AIza, edk_",
    Detector.PASSWORDS: "Passwords in texts: password=…, token: …, scheme://user:…@host",
    Detector.JWTS: "JSON web tokens",
    Detector.PRIVATE_KEYS: "Private keys in PEM",
    Detector.CARDS: "Card numbers with a valid check digit",
    Detector.E_MAILS: "E-mail addresses",
    Detector.IBANS: "IBANs with valid check digits",
}
CHOICES: Final = [(each.value, NAMES[each]) for each in Detector]


class Line(NamedTuple):
    detector: str
    name: str
    is_on: bool
    total: MaskedTotal | None


def headline(rules: MaskingRules | None, totals: Mapping[str, MaskedTotal]) -> str:
    if rules is None or not rules.before_storing:
        return "Secrets are masked when shown, and stored as sent"
    masked = sum(each.masked for each in totals.values())
    values = "1 value" if masked == 1 else f"{masked:,} values"
    return f"Secrets are masked before storing: {values} so far"


def lines(rules: MaskingRules | None, totals: Mapping[str, MaskedTotal]) -> list[Line]:
    """Detectors in use, and others that masked before."""
    active = SHOWN_DETECTORS if rules is None else frozenset(rules.detectors)
    listed = [
        Line(each.value, NAMES[each], each in active, totals.get(each.value)) for each in Detector
    ]
    own = {f"own-{each['name']}": each["pattern"] for each in (rules.patterns if rules else [])}
    listed += [Line(name, text, is_on=True, total=totals.get(name)) for name, text in own.items()]
    ended = set(totals) - {each.detector for each in listed}
    return listed + [
        Line(name, "A former pattern", is_on=False, total=totals[name]) for name in sorted(ended)
    ]


def trial_words(trial: Trial) -> str:
    calls = "1 recorded call" if trial.calls == 1 else f"{trial.calls:,} recorded calls"
    if not trial.calls:
        return "No recorded calls to try it on."
    if not trial.counts:
        return f"Nothing found in the newest {calls}."
    parts = ", ".join(f"{number:,} by {name}" for name, number in trial.counts.items())
    return f"Would mask in the newest {calls}: {parts}."
