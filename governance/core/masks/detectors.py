"""Names of secret detectors: one list for masking on display and before storing."""

from enum import StrEnum
from typing import Final


class Detector(StrEnum):
    NAMES = "names"
    TOKENS = "tokens"
    PASSWORDS = "passwords"
    JWTS = "jwts"
    PRIVATE_KEYS = "private-keys"
    CARDS = "cards"
    E_MAILS = "e-mails"
    IBANS = "ibans"


# E-mail addresses and account numbers are often what a call is about, so they are masked only
# before storing, and only if the project enables it.
SHOWN_DETECTORS: Final = frozenset(Detector) - {Detector.E_MAILS, Detector.IBANS}
