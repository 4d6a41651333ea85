"""Detectors of a project, with the number of values that each masked before storing."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from governance.core.masks.detectors import SHOWN_DETECTORS, Detector
from governance.models import DetectorTotal, MaskingRules

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


class Line(NamedTuple):
    detector: str
    name: str
    is_on: bool
    total: DetectorTotal | None


def lines(rules: MaskingRules | None, totals: Mapping[str, DetectorTotal]) -> list[Line]:
    """All detectors and current patterns, and former patterns that masked something."""
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
