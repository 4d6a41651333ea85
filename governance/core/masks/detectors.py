"""Detectors of secrets, by name: one list for what is shown and for what is stored."""

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


# E-mail addresses and accounts are often what a call is about: they are masked where a project
# chooses so, before they are stored.
SHOWN_DETECTORS: Final = frozenset(Detector) - {Detector.E_MAILS, Detector.IBANS}
